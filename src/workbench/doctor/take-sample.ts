// Reads the rows of a source with which `doctor` compares what its file claims; again, if a changed file brings other rows.

import type { Evidence } from '../../source/checks/claim.ts';
import type { Ask } from '../../source/checks/evidence/ask.ts';
import { walkRows } from '../../source/checks/evidence/walk.ts';

/** The rows of a source, and the file with which they were read. */
export type Sampled = Pick<Evidence, 'first' | 'sample' | 'gaps'> & { readonly ask: Ask };

/** Reads the sample: the rows with which all claims of a source are compared. */
export async function takeSample(
  { ask, first }: Pick<Evidence, 'ask' | 'first'>,
  callsMax: number,
): Promise<Sampled> {
  const reader = ask.open({});
  if (reader === undefined) throw new Error('every row can be asked for');
  ask.gaps.clear();
  const sample = await walkRows(ask, reader, { callsMax });
  const again = sample.steps[0]?.exchange;
  const read = again?.value === undefined ? first : { ...again, value: again.value };
  return { ask, first: read, sample, gaps: new Map(ask.gaps) };
}
