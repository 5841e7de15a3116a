import { type Gate, gateOf } from '../../../../src/migration/judge/gate.ts';
import { positionText, type Rollback } from '../../../../src/migration/state/migration-state.ts';
import { NO_COUNTS } from '../../../../src/migration/counts/counts-store.ts';
import {
  BEGAN,
  gateFacts,
  goodEvidence,
  HOUR_MS,
  migrationConfig,
  migrationState,
} from '../../../support/migration/migration-facts.ts';

const unmetOf = ({ unmet }: Gate) => unmet.map(({ id }) => id);
const nextOf = ({ next }: Gate) => next && positionText(next);
const withEvidence = (counts: ReturnType<typeof goodEvidence>) => ({ counts: { 'users.get': counts } });

function rollback(changed: Partial<Rollback> = {}): Rollback {
  const at = new Date(BEGAN + HOUR_MS).toISOString();
  return {
    at,
    by: 'judge',
    rule: 'failures',
    from: { stage: 'ramp', percent: 25 },
    evidence: '4 of 4',
    ...changed,
  };
}

describe('the gate before the ramp', () => {
  test('2,994 equal records are not enough, and 2,995 are', () => {
    const before = gateOf(gateFacts(withEvidence(goodEvidence(2_994))));
    expect(before.unmet).toEqual([{ id: 'keys', operation: 'users.get', have: 2_994, need: 2_995 }]);
    expect(before.ready).toBe(false);
    const after = gateOf(gateFacts());
    expect([after.ready, nextOf(after)]).toEqual([true, 'ramp:1']);
  });

  test('without any data it is not ready, and says of each operation what is missing', () => {
    const facts = gateFacts({ operations: ['users.list', 'users.get'], counts: {} });
    const { unmet } = gateOf(facts);
    expect(unmet.filter(({ operation }) => operation === 'users.list').map(({ id }) => id)).toEqual([
      'keys',
      'failed',
      'inconclusive',
      'latency',
    ]);
    expect(unmet.filter(({ operation }) => operation === 'users.get')).toHaveLength(4);
  });

  test('a small store is known once every record was walked without a difference', () => {
    const walked = (differences: number) =>
      migrationState({ walk: { at: '2026-01-01T01:00:00.000Z', records: 400, differences } });
    const counts = withEvidence(goodEvidence(37));
    expect(gateOf(gateFacts({ state: walked(0), ...counts })).ready).toBe(true);
    expect(unmetOf(gateOf(gateFacts({ state: walked(1), ...counts })))).toEqual(['walk', 'keys']);
  });

  test.each([
    ['soak', { now: BEGAN + 23.99 * HOUR_MS }],
    ['rehearsal', { state: migrationState({ rehearsedAt: undefined }) }],
    ['walk', { state: migrationState({ walk: undefined }) }],
    ['edges', { state: migrationState({ edges: undefined }) }],
    ['critical', withEvidence(goodEvidence(2_995, { critical: { 'data.email': 1 } }))],
    ['scan', withEvidence(goodEvidence(2_995, { refused: { 'sort=-name': 1 } }))],
    ['failed', withEvidence(goodEvidence(2_995, { failedNew: 16 }))],
    ['inconclusive', withEvidence(goodEvidence(2_995, { inconclusive: 400 }))],
    ['latency', withEvidence(goodEvidence(2_995, { newMs: { '20': 2_900, '62': 95 } }))],
    ['lag', withEvidence(goodEvidence(2_995, { lagMs: { '31000': 1 } }))],
    [
      'hold',
      { state: migrationState({ hold: { by: 'ana', at: '2026-01-02T00:00:00Z', reason: 'a weekend' } }) },
    ],
    [
      'freeze',
      { config: migrationConfig({ freeze: [{ from: '2026-01-02', until: '2026-01-05', why: 'sales' }] }) },
    ],
  ] as const)('it is held back by %s alone', (id, changed) => {
    const gate = gateOf(gateFacts(changed));
    expect([gate.ready, unmetOf(gate)]).toEqual([false, [id]]);
  });

  const reach = { percent: 1, callers: 24, reached: 0, callsPercent: 0, least: 4.17, largest: [] };
  test('it is held back by a share that reaches nobody, and says which one would', () => {
    expect(gateOf(gateFacts({ reach })).unmet).toEqual([
      { id: 'reach', have: '0 of 24 callers, 0 % of the calls', need: '4.17 %, or a caller in allow' },
    ]);
    const nobody = { ...reach, callers: 0, least: null };
    for (const one of [{ ...reach, percent: 4.17 }, { ...reach, least: 0 }, nobody])
      expect(gateOf(gateFacts({ reach: one })).ready).toBe(true);
  });

  test('it names the kinds of question that lie beyond the bounds of the new source', () => {
    const refused = { 'category=…&min_price=…': 1, '(plain)': 9 };
    expect(gateOf(gateFacts(withEvidence(goodEvidence(2_995, { refused })))).unmet).toEqual([
      { id: 'scan', operation: 'users.get', have: '(plain), category=…&min_price=…', need: 'none' },
    ]);
    const edges = { at: '2026-01-01T01:00:00.000Z', asked: 19, different: 0, named: [] };
    const probed = [
      { operation: 'users.get', kind: 'id=…' },
      { operation: 'users.list', kind: 'sort=name' },
    ];
    const state = migrationState({ edges: { ...edges, refused: probed } });
    expect(gateOf(gateFacts({ state })).unmet).toEqual([
      { id: 'scan', operation: 'users.get', have: 'id=…', need: 'none' },
    ]);
  });

  test('an operation that has a position of its own is judged by itself, and no longer with the resource', () => {
    const state = migrationState({ operations: { 'users.list': { stage: 'ramp', percent: 5 } } });
    const facts = gateFacts({ state, operations: ['users.list', 'users.get'] });
    expect(gateOf(facts).ready).toBe(true);
    const own = gateOf({ ...facts, operation: 'users.list' });
    expect([nextOf(own), unmetOf(own)]).toEqual(['ramp:25', ['requests', 'failed', 'keys']]);
  });
});

describe('the gate of a step of the ramp', () => {
  const inRamp = migrationState({ stage: 'ramp', percent: 5 });

  test('it leads to the next share, and after the last one to live', () => {
    expect(nextOf(gateOf(gateFacts({ state: inRamp })))).toBe('ramp:25');
    expect(nextOf(gateOf(gateFacts({ state: { ...inRamp, percent: 100 } })))).toBe('live');
    expect(nextOf(gateOf(gateFacts({ state: { ...inRamp, percent: 30 } })))).toBe('ramp:50');
  });

  const compared = goodEvidence(2_995);
  test.each([
    ['step', { now: BEGAN + 0.49 * HOUR_MS }],
    ['requests', withEvidence({ ...compared, step: { ...compared.step, served: 999 } })],
    ['failed', withEvidence({ ...compared, step: { ...compared.step, attributable: 15 } })],
    ['scan', withEvidence({ ...compared, refused: { 'sort=-name': 1 } })],
    ['cusum', { cusum: { 'users.get': 4.61 } }],
    [
      'transient',
      withEvidence({
        ...compared,
        step: { ...compared.step, transient: 4, transients: { 'data.name|later': 4 } },
      }),
    ],
    ['keys', withEvidence({ ...compared, recent: { keys: 2_994, mismatchedKeys: 0 } })],
    [
      'quiet',
      { state: { ...inRamp, lastRollback: rollback({ at: new Date(BEGAN + 25 * HOUR_MS).toISOString() }) } },
    ],
  ] as const)('it is held back by %s alone', (id, changed) => {
    const gate = gateOf(gateFacts({ state: inRamp, ...changed }));
    expect([gate.ready, unmetOf(gate)]).toEqual([false, [id]]);
  });

  test('it says when the step may be taken at the earliest, by each condition of time and by all', () => {
    const freeze = [{ from: '2026-01-01', until: '2026-01-01T00:20:00Z', why: 'sales' }];
    const config = migrationConfig({ freeze });
    const gate = gateOf(gateFacts({ state: inRamp, config, now: BEGAN + HOUR_MS / 6 }));
    expect(gate.unmet.map(({ id, at }) => [id, at])).toEqual([
      ['freeze', '2026-01-01T00:20:00.000Z'],
      ['step', '2026-01-01T00:30:00.000Z'],
    ]);
    expect(gate.earliestAt).toBe('2026-01-01T00:30:00.000Z');
    expect(gateOf(gateFacts({ state: inRamp })).earliestAt).toBeUndefined();
  });

  test('without traffic in the step it is never ready, however long it waits', () => {
    const quiet = { ...compared, step: NO_COUNTS.step };
    const gate = gateOf(gateFacts({ state: inRamp, ...withEvidence(quiet), now: BEGAN + 9_000 * HOUR_MS }));
    expect(unmetOf(gate)).toEqual(['requests', 'failed']);
  });
});

describe('the gate after a rollback', () => {
  test('the ramp goes on at the step before the one that failed', () => {
    const nextAfter = (from: Rollback['from']) =>
      nextOf(gateOf(gateFacts({ state: migrationState({ lastRollback: rollback({ from }) }) })));
    expect(nextAfter({ stage: 'ramp', percent: 25 })).toBe('ramp:5');
    expect(nextAfter({ stage: 'ramp', percent: 1 })).toBe('ramp:1');
    expect(nextAfter({ stage: 'live', percent: 0 })).toBe('ramp:100');
  });

  test('no step is possible within the cooldown', () => {
    const state = migrationState({
      lastRollback: rollback({ at: new Date(BEGAN + 47.6 * HOUR_MS).toISOString() }),
    });
    expect(unmetOf(gateOf(gateFacts({ state })))).toEqual(['cooldown']);
  });
});

describe('the gate before complete', () => {
  const live = migrationState({ stage: 'live', acknowledged: ['data.bio', 'r1'] });
  const rules = [{ id: 'r1', path: 'data.name', owner: 'ana', reason: 'trimmed', until: BEGAN }];
  const ignore = [{ path: 'data.bio', owner: 'ana', reason: 'markup', until: '2026-12-01' }];
  const config = migrationConfig({ stage: 'complete', compare: { ignore } });
  const facts = gateFacts({ state: { ...live, rules }, config, now: BEGAN + 8 * 24 * HOUR_MS });

  const compared = goodEvidence(2_995);
  /** Only the comparisons of the step are like this: the reverse shadow has to meet what the shadow has met. */
  function inStep(changed: Partial<typeof compared.step>) {
    return withEvidence({ ...compared, step: { ...compared.step, ...changed } });
  }

  test('it is ready after a week of reverse shadow with every rule acknowledged and the file saying so', () => {
    expect([gateOf(facts).ready, nextOf(gateOf(facts))]).toEqual([true, 'complete']);
  });

  test.each([
    ['live', { now: BEGAN + 6.9 * 24 * HOUR_MS }],
    ['acknowledge', { state: { ...live, rules, acknowledged: ['r1'] } }],
    ['file', { config: migrationConfig({ compare: { ignore } }) }],
    ['operations', { state: { ...live, rules, operations: { 'users.get': { stage: 'live', percent: 0 } } } }],
    ['fallback', withEvidence(goodEvidence(2_995, { lastFallbackAt: BEGAN + 7.5 * 24 * HOUR_MS }))],
    ['keys', inStep({ keys: 2_994 })],
    ['failed', inStep({ failedNew: 16 })],
    ['inconclusive', inStep({ inconclusive: 400 })],
    ['latency', inStep({ newMs: { '65': 2_995 } })],
    ['lag', inStep({ lagMs: { '45000': 10 } })],
  ] as const)('it is held back by %s alone', (id, changed) => {
    expect(unmetOf(gateOf({ ...facts, ...changed }))).toEqual([id]);
  });

  test('after complete there is no step', () => {
    const gate = gateOf({ ...facts, state: { ...live, stage: 'complete' } });
    expect(gate).toEqual({ next: undefined, ready: false, unmet: [], met: [] });
  });
});
