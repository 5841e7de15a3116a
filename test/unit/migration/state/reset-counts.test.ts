import { createCountsReset } from '../../../../src/migration/state/reset-counts.ts';
import type { MigrationState } from '../../../../src/migration/state/migration-state.ts';
import { migrationState } from '../../../support/migration/migration-facts.ts';
import { createManualClock } from '../../../support/time/manual-clock.ts';

const declared = (digests: readonly [string, string]) => [
  {
    ...{ resource: 'users', sources: ['crm', 'people'] as const, digests },
    position: { stage: 'legacy' as const, percent: 0 },
  },
];

/** A process that knows this state. */
function open(first: MigrationState) {
  let state = first;
  let learnt: (state: MigrationState) => void = () => undefined;
  const lines: string[] = [];
  const renewed: (readonly [before: number, after: number])[] = [];
  const learn = (next: MigrationState) => {
    state = next;
    learnt(next);
  };
  const renewal = createCountsReset({
    states: {
      shared: () => state,
      change(expected, next) {
        if (expected.rev !== state.rev) return Promise.resolve({ kind: 'conflict' as const, state });
        learn({ ...next, rev: state.rev + 1 });
        return Promise.resolve({ kind: 'changed' as const, state });
      },
      onChange(listener) {
        learnt = listener;
        return () => undefined;
      },
    },
    clock: createManualClock(),
    onCountsReset: (before, after) => void renewed.push([before.rev, after.rev]),
    log: { warn: (_fields: object, line?: string) => void lines.push(line ?? '') } as never,
  });
  return { renewal, learn, lines, renewed, now: () => state };
}

describe('the evidence of a migration whose source file changes', () => {
  const ramp = migrationState({ stage: 'ramp', percent: 5, digests: ['a', 'b'] });

  it('begins anew, with another generation and the same stage, and the log says so', async () => {
    const opened = open(ramp);
    opened.renewal.expect(declared(['a', 'c']));
    await Promise.resolve();
    const { stage, percent, digests, generation, evidence, walk, rev } = opened.now();
    expect({ stage, percent, digests, generation, walk, rev }).toEqual({
      ...{ stage: 'ramp', percent: 5, digests: ['a', 'c'], generation: ramp.generation + 1 },
      ...{ walk: undefined, rev: ramp.rev + 1 },
    });
    expect(evidence).not.toBe(ramp.evidence);
    expect(opened.lines).toHaveLength(1);
    expect(opened.renewed).toEqual([[ramp.rev, ramp.rev + 1]]);
  });

  it('goes on where the files are the same', () => {
    const opened = open(ramp);
    opened.renewal.expect(declared(['a', 'b']));
    expect(opened.now()).toBe(ramp);
  });

  it('begins anew as soon as the state is known', async () => {
    const opened = open(migrationState({ rev: 0, digests: ['a', 'c'] }));
    opened.renewal.expect(declared(['a', 'c']));
    opened.learn(ramp);
    await Promise.resolve();
    expect(opened.now().digests).toEqual(['a', 'c']);
  });

  it('is not undone by a process that still has the old file', async () => {
    const opened = open(ramp);
    opened.renewal.expect(declared(['a', 'b']));
    const renewed = migrationState({ ...ramp, rev: 9, digests: ['a', 'c'] });
    opened.learn(renewed);
    await Promise.resolve();
    expect(opened.now()).toBe(renewed);
  });
});
