import { type Crew, type Member, nextSteps } from '../../../src/workers/next-steps.ts';

const crew = (members: readonly Member[], more: Partial<Crew> = {}): Crew => ({
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

describe('what a primary does next', () => {
  it('starts all workers at once at the start, and no more while they are on the way', () => {
    expect(nextSteps(crew([]))).toEqual({ start: 2, leave: [] });
    expect(nextSteps(crew([member(1, 'starting'), member(2, 'starting')]))).toEqual({ start: 0, leave: [] });
  });

  it('fills the place of one that died', () => {
    expect(nextSteps(crew([member(1)]))).toEqual({ start: 1, leave: [] });
  });

  it('has everybody leave in the end, the one on trial too, and starts nobody', () => {
    const members = [member(1), member(2, 'leaving'), member(3, 'starting', 2)];
    expect(nextSteps(crew(members, { candidate: 2, stopping: true }))).toEqual({ start: 0, leave: [1, 3] });
  });

  it('counts the first worker of a new configuration for nothing until it has proved it', () => {
    const trial = [member(1), member(2), member(3, 'starting', 2)];
    expect(nextSteps(crew(trial, { candidate: 2 }))).toEqual({ start: 0, leave: [] });
    expect(nextSteps(crew([member(1), member(3, 'starting', 2)], { candidate: 2 }))).toEqual({
      start: 1,
      leave: [],
    });
  });

  /** Plays a change of configuration to its end; each step is what is then there. */
  function play(wanted: number, old: number) {
    let members: Member[] = Array.from({ length: old }, (_, index) => member(index + 1));
    members.push(member(old + 1, 'serving', 2));
    const serving: number[] = [];
    let ids = old + 1;
    for (let turn = 0; turn < 100; turn += 1) {
      const steps = nextSteps(crew(members, { wanted, generation: 2 }));
      if (steps.start === 0 && steps.leave.length === 0) return { members, serving };
      expect(steps.start + steps.leave.length).toBe(1);
      serving.push(members.length - steps.leave.length);
      members = members.filter(({ id }) => !steps.leave.includes(id));
      if (steps.start === 1) members.push(member((ids += 1), 'serving', 2));
    }
    throw new Error('it never comes to an end');
  }

  it.each([
    [2, 2],
    [8, 8],
    [3, 1],
    [1, 4],
  ])('changes to %i workers from %i one at a time, with never fewer than both want', (wanted, old) => {
    const { members, serving } = play(wanted, old);
    expect(members.map(({ generation }) => generation)).toEqual(Array.from({ length: wanted }, () => 2));
    expect(Math.min(...serving)).toBeGreaterThanOrEqual(Math.min(wanted, old));
    expect(Math.max(...serving)).toBeLessThanOrEqual(Math.max(wanted, old) + 1);
  });

  it('waits for whoever is on the way, in or out', () => {
    const out = [member(1), member(2, 'leaving'), member(3, 'serving', 2)];
    expect(nextSteps(crew(out, { generation: 2 }))).toEqual({ start: 0, leave: [] });
    const into = [member(1), member(3, 'serving', 2), member(4, 'starting', 2)];
    expect(nextSteps(crew(into, { generation: 2 }))).toEqual({ start: 0, leave: [] });
  });
});
