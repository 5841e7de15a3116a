import { clientConnections } from './connections.ts';
import { clientFraming } from './framing.ts';
import { clientIdentity } from './identity.ts';
import { clientInput } from './input.ts';
import { clientLimits } from './limits.ts';
import type { BenchRow } from '../harness/row.ts';

const groups = [...clientFraming, ...clientInput, ...clientIdentity, ...clientLimits, ...clientConnections];

/** C1 to C19: what clients can do. */
export const clientRows: readonly BenchRow[] = groups.sort(
  (a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)),
);
