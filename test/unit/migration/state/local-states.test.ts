import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DeclaredMigration } from '../../../../src/migration/state/declared-migration.ts';
import { createLocalStates } from '../../../../src/migration/state/state-replica.ts';
import type { Position } from '../../../../src/migration/state/migration-state.ts';
import { openStateFile } from '../../../../src/migration/state/state-file.ts';
import { createManualClock } from '../../../support/time/manual-clock.ts';

const declared = (position: Position): DeclaredMigration => ({
  resource: 'users',
  sources: ['crm', 'people'],
  digests: ['d1', 'd2'],
  position,
});
const legacy = { stage: 'legacy', percent: 0 } as const;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portico-states-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A gateway without Redis, as it starts. */
function start(position: Position, { isKept = true } = {}) {
  const file = openStateFile(isKept ? folder : undefined, 'host-1:4711', (problem) => {
    throw new Error(problem);
  });
  const states = createLocalStates({ file, clock: createManualClock() });
  states.declare([declared(position)]);
  return states;
}

async function moveTo(states: ReturnType<typeof start>, position: Position) {
  const state = states.current('users')!;
  return states.change(state, { ...state, ...position });
}

describe('the state of a migration without Redis', () => {
  it('outlives a restart in state.dir', async () => {
    await moveTo(start(legacy), { stage: 'ramp', percent: 5 });
    expect(start(legacy).current('users')).toMatchObject({ rev: 1, stage: 'ramp', percent: 5 });
  });

  it('is what the file says again where there is no state.dir', async () => {
    await moveTo(start(legacy, { isKept: false }), { stage: 'ramp', percent: 5 });
    expect(start(legacy, { isKept: false }).current('users')).toMatchObject({ rev: 0, stage: 'legacy' });
  });

  it('is moved by a reload of a file with another stage, and by none with the same', async () => {
    const states = start(legacy);
    await moveTo(states, { stage: 'ramp', percent: 5 });
    states.declare([declared(legacy)]);
    expect(states.current('users')).toMatchObject({ rev: 1, stage: 'ramp', percent: 5 });
    states.declare([declared({ stage: 'complete', percent: 0 })]);
    expect(states.current('users')).toMatchObject({ rev: 2, stage: 'complete', percent: 0 });
  });

  it('is moved by a file that was changed while the gateway did not run', async () => {
    await moveTo(start(legacy), { stage: 'live', percent: 0 });
    expect(start({ stage: 'complete', percent: 0 }).current('users')).toMatchObject({ stage: 'complete' });
  });

  it('is not changed by somebody who knows an older one', async () => {
    const states = start(legacy);
    const state = states.current('users')!;
    await moveTo(states, { stage: 'shadow', percent: 0 });
    expect(await states.change(state, { ...state, stage: 'live' })).toMatchObject({
      kind: 'conflict',
      state: { rev: 1, stage: 'shadow' },
    });
  });

  it('has the same salt in every process that knows nothing of another', () => {
    const [a, b] = [
      start(legacy, { isKept: false }),
      start({ stage: 'ramp', percent: 5 }, { isKept: false }),
    ];
    expect(a.current('users')!.salt).toBe(b.current('users')!.salt);
    expect(a.current('users')!.evidence).toBe(b.current('users')!.evidence);
  });

  it('is what the file says where state.dir holds a damaged file', async () => {
    await moveTo(start(legacy), { stage: 'live', percent: 0 });
    writeFileSync(join(folder, 'migrations.json'), '{"version":1,"states":[{"state":{"stage":"live"}}]}');
    expect(start(legacy).current('users')).toMatchObject({ rev: 0, stage: 'legacy' });
  });
});
