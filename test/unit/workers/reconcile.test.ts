import { type WorkerSet, type Member, reconcile } from '../../../src/workers/reconcile.ts';

const workerSet = (members: readonly Member[], more: Partial<WorkerSet> = {}): WorkerSet => ({
  members,
  wanted: 2,
  generation: 1,
  candidate: undefined,
  stopping: false,
  ...more,
});
const member = (id: number, phase: Member['phase'] = 'serving', generation = 1): Member => ({
  id,
  phase,
  generation,
});

describe('the next actions of a primary', () => {
  it('starts all workers together at first, and no more while these start', () => {
    expect(reconcile(workerSet([]))).toEqual({ start: 2, leave: [] });
    expect(reconcile(workerSet([member(1, 'starting'), member(2, 'starting')]))).toEqual({
      start: 0,
      leave: [],
    });
  });

  it('starts one worker for each that crashed', () => {
    expect(reconcile(workerSet([member(1)]))).toEqual({ start: 1, leave: [] });
  });

  it('drains every worker when it stops, the one on trial too, and starts none', () => {
    const members = [member(1), member(2, 'leaving'), member(3, 'starting', 2)];
    expect(reconcile(workerSet(members, { candidate: 2, stopping: true }))).toEqual({
      start: 0,
      leave: [1, 3],
    });
  });

  it('does not count the first worker of a new configuration before it serves', () => {
    const trial = [member(1), member(2), member(3, 'starting', 2)];
    expect(reconcile(workerSet(trial, { candidate: 2 }))).toEqual({ start: 0, leave: [] });
    expect(reconcile(workerSet([member(1), member(3, 'starting', 2)], { candidate: 2 }))).toEqual({
      start: 1,
      leave: [],
    });
  });

  /** Applies the actions of a rollout until there are none; `serving` has the number of workers after each. */
  function play(wanted: number, old: number) {
    let members: Member[] = Array.from({ length: old }, (_, index) => member(index + 1));
    members.push(member(old + 1, 'serving', 2));
    const serving: number[] = [];
    let ids = old + 1;
    for (let i = 0; i < 100; i += 1) {
      const steps = reconcile(workerSet(members, { wanted, generation: 2 }));
      if (steps.start === 0 && steps.leave.length === 0) return { members, serving };
      expect(steps.start + steps.leave.length).toBe(1);
      serving.push(members.length - steps.leave.length);
      members = members.filter(({ id }) => !steps.leave.includes(id));
      if (steps.start === 1) members.push(member((ids += 1), 'serving', 2));
    }
    throw new Error('the rollout does not end');
  }

  it.each([
    [2, 2],
    [8, 8],
    [3, 1],
    [1, 4],
  ])(
    'rolls out %i workers in place of %i one at a time, and never has fewer than the smaller number',
    (wanted, old) => {
      const { members, serving } = play(wanted, old);
      expect(members.map(({ generation }) => generation)).toEqual(Array.from({ length: wanted }, () => 2));
      expect(Math.min(...serving)).toBeGreaterThanOrEqual(Math.min(wanted, old));
      expect(Math.max(...serving)).toBeLessThanOrEqual(Math.max(wanted, old) + 1);
    },
  );

  it('waits while a worker starts or leaves', () => {
    const out = [member(1), member(2, 'leaving'), member(3, 'serving', 2)];
    expect(reconcile(workerSet(out, { generation: 2 }))).toEqual({ start: 0, leave: [] });
    const into = [member(1), member(3, 'serving', 2), member(4, 'starting', 2)];
    expect(reconcile(workerSet(into, { generation: 2 }))).toEqual({ start: 0, leave: [] });
  });
});
