import type { Gate } from '../../../../src/migration/judge/gate.ts';
import { decideStep, type StepRequest } from '../../../../src/migration/operate/decide-step.ts';
import type { MigrationState, Position } from '../../../../src/migration/state/migration-state.ts';
import { moved, resumed, rolledBack, withDigests } from '../../../../src/migration/state/transitions.ts';
import { migrationState } from '../../../support/migration/migration-facts.ts';

const AT = '2026-01-02T00:00:00.000Z';
const ramp = (percent: number): Position => ({ stage: 'ramp', percent });
const shadow: Position = { stage: 'shadow', percent: 0 };
const live: Position = { stage: 'live', percent: 0 };
const state = (position: Position, changed: Partial<MigrationState> = {}) =>
  migrationState({ ...position, ...changed });

const gate = (next: Position | undefined, ready = true): Gate => ({
  ...{ next, ready, met: [] },
  unmet: ready ? [] : [{ id: 'keys', operation: 'users.get', have: 2_210, need: 2_995 }],
});
const decide = (from: MigrationState, open: Gate, request: Pick<StepRequest, 'to'> & Partial<StepRequest>) =>
  decideStep(from, open, { at: AT, isForced: false, ...request });

describe('a step of a migration', () => {
  it('goes forward by the next one where its gate is ready, and says what is missing where it is not', () => {
    expect(decide(state(shadow), gate(ramp(1)), { to: ramp(1) })).toMatchObject({
      kind: 'go',
      state: { stage: 'ramp', percent: 1, since: AT },
    });
    expect(decide(state(shadow), gate(ramp(1), false), { to: ramp(1) })).toEqual({
      kind: 'gate',
      unmet: [{ id: 'keys', operation: 'users.get', have: 2_210, need: 2_995 }],
    });
  });

  it('may be smaller than the next one, and is not larger unless it is forced', () => {
    expect(decide(state(ramp(1)), gate(ramp(5)), { to: ramp(1.01) }).kind).toBe('go');
    expect(decide(state(ramp(1)), gate(ramp(5)), { to: ramp(25) }).kind).toBe('refused');
    expect(decide(state(ramp(1)), gate(ramp(5), false), { to: ramp(25), isForced: true }).kind).toBe('go');
  });

  it('goes back by any number of steps, through no gate and also on hold', () => {
    const held = state(live, { hold: { by: 'judge', at: AT, reason: 'latency' } });
    for (const to of [ramp(50), shadow, { stage: 'legacy', percent: 0 } as const])
      expect(decide(held, gate(undefined, false), { to })).toMatchObject({ kind: 'go', state: to });
  });

  it('does not go forward on hold, however it is forced', () => {
    const held = state(shadow, { hold: { by: 'ana', at: AT, reason: 'not today' } });
    expect(decide(held, gate(ramp(1)), { to: ramp(1), isForced: true }).kind).toBe('refused');
    expect(decide(resumed(held), gate(ramp(1)), { to: ramp(1) }).kind).toBe('go');
  });

  it('does not begin before both sources were checked, and does not leave complete unless it is forced', () => {
    expect(
      decide(state({ stage: 'legacy', percent: 0 }, { rev: 0 }), gate(shadow), { to: shadow }).kind,
    ).toBe('refused');
    const unchecked = state(shadow, { rev: 2, isBegun: false });
    expect(decide(unchecked, gate(ramp(1)), { to: ramp(1), isForced: true }).kind).toBe('refused');
    const ofEarlierVersion = (position: Position) => state(position, { isBegun: undefined });
    const first = ofEarlierVersion({ stage: 'legacy', percent: 0 });
    expect(decide(first, gate(shadow), { to: shadow }).kind).toBe('refused');
    expect(decide(ofEarlierVersion(shadow), gate(ramp(1)), { to: ramp(1) }).kind).toBe('go');
    const complete = state({ stage: 'complete', percent: 0 });
    expect(decide(complete, gate(undefined), { to: live }).kind).toBe('refused');
    expect(decide(complete, gate(undefined), { to: live, isForced: true }).kind).toBe('go');
  });

  it('to shadow in shadow begins the comparison counts anew, with its walk and rehearsal', () => {
    const again = decide(state(shadow), gate(ramp(1)), { to: shadow });
    expect(again).toMatchObject({ kind: 'go', state: { stage: 'shadow', evidenceSince: AT } });
    const next = again.kind === 'go' ? again.state : undefined;
    expect(next?.walk).toBeUndefined();
    expect(next?.rehearsedAt).toBeUndefined();
    expect(next?.evidence).not.toBe(state(shadow).evidence);
  });
});

describe('an operation that is elsewhere than its resource', () => {
  it('has a position of its own until it is where the resource is', () => {
    const apart = moved(state(shadow), ramp(1), 'users.list', AT);
    expect(apart).toMatchObject({ ...shadow, operations: { 'users.list': ramp(1) } });
    expect(moved(apart, shadow, 'users.list', AT).operations).toEqual({});
    expect(moved(apart, ramp(1), undefined, AT).operations).toEqual({});
    expect(moved(apart, ramp(0.5), undefined, AT).operations).toEqual({ 'users.list': ramp(1) });
  });

  it('does not stay ahead of a resource that goes back', () => {
    const apart = state(ramp(5), { operations: { 'users.list': ramp(25), 'users.get': shadow } });
    expect(moved(apart, ramp(1), undefined, AT).operations).toEqual({ 'users.get': shadow });
  });
});

describe('a rollback', () => {
  const grounds = { by: 'judge', at: AT, rule: 'failures', evidence: 'cusum 9.4' } as const;

  it('goes to shadow, holds, and has everything of the new source forgotten; salt and evidence stay', () => {
    const before = state(ramp(25), { operations: { 'users.list': live } });
    const after = rolledBack(before, grounds);
    expect(after).toMatchObject({
      ...{ ...shadow, operations: {}, generation: before.generation + 1 },
      ...{ salt: before.salt, evidence: before.evidence },
      hold: { by: 'judge', at: AT, reason: 'rolled back (failures): cusum 9.4' },
      lastRollback: { at: AT, by: 'judge', rule: 'failures', from: ramp(25), evidence: 'cusum 9.4' },
    });
  });

  it('begins the comparison counts anew where records were different', () => {
    const after = rolledBack(state(ramp(25)), { ...grounds, rule: 'difference' });
    expect(after.evidence).not.toBe(state(ramp(25)).evidence);
    expect(after.evidenceSince).toBe(AT);
  });

  it('goes from shadow to legacy', () => {
    expect(rolledBack(state(shadow), grounds)).toMatchObject({ stage: 'legacy', percent: 0 });
  });

  it('can be that of one operation', () => {
    const after = rolledBack(state(ramp(25)), grounds, 'users.list');
    expect(after).toMatchObject({ ...ramp(25), operations: { 'users.list': shadow }, generation: 2 });
  });
});

it('a changed file of a source voids the evidence, and keeps the stage', () => {
  const after = withDigests(state(ramp(25)), ['a', 'c'], AT);
  expect(after).toMatchObject({ ...ramp(25), generation: 2, digests: ['a', 'c'], evidenceSince: AT });
  expect(after.evidence).not.toBe(state(ramp(25)).evidence);
});
