import {
  type FleetIncident,
  updateFleetIncidents,
} from '../../../../src/telemetry/incidents/fleet-incidents.ts';
import { createNight, only } from './incident-night.ts';

const NOW = Date.UTC(2026, 0, 31, 3, 0, 1);

/** What a process sees of a source whose calls at a host fail, with answers to a caller. */
function process(name: string, host: string, caller: string) {
  const night = createNight();
  night.calls('crm', 0, 20, 'outcome', host);
  night.answers(5, [caller, caller]);
  return { ...night.tracker.seen(), process: name };
}

describe('an incident of a fleet', () => {
  it.each(['a', 'constructor', 'toString'])(
    'has the sums of its processes by name, also where one lacks it: %s',
    (name) => {
      const all = [process('one', 'h1:1', name), process('two', 'h2:1', 'b'), process('three', 'h1:1', 'b')];
      const { calls, callers, answers, hosts, operations } = only(updateFleetIncidents([], all, NOW));
      expect([calls, answers.failed]).toEqual([{ failed: 60, total: 60 }, 6]);
      expect(callers).toEqual({ [name]: 2, b: 4 });
      expect(operations).toEqual({ 'crm.list': 6 });
      expect(hosts).toEqual({ 'h1:1': { failed: 40, total: 40 }, 'h2:1': { failed: 20, total: 20 } });
    },
  );

  it('loses nothing of a process that is gone', () => {
    const [one, two] = [process('one', 'h1:1', 'a'), process('two', 'h2:1', 'b')];
    const before = updateFleetIncidents([], [one, two], NOW);
    const { calls, callers, hosts, isOpen } = only(updateFleetIncidents(before, [one], NOW));
    expect({ calls, callers, hosts, isOpen }).toEqual({
      ...{ calls: { failed: 40, total: 40 }, callers: { a: 2, b: 2 }, isOpen: true },
      hosts: { 'h1:1': { failed: 20, total: 20 }, 'h2:1': { failed: 20, total: 20 } },
    });
  });
});

describe('an incident of a fleet that opens again', () => {
  /** What a process sees that has started after the first run. */
  function laterProcess() {
    const night = createNight();
    night.moveTo(night.START + 200_000);
    night.calls('crm', 0, 20, 'shape', 'h2:1');
    night.answers(5, ['b']);
    return { ...night.tracker.seen(), process: 'two' };
  }

  /** What a process sees of both runs. */
  function bothRuns() {
    const night = createNight();
    night.calls('crm', 0, 20, 'outcome', 'h1:1');
    night.answers(5, ['a', 'a']);
    const first = night.tracker.seen();
    night.seconds(200, () => night.calls('crm', 2));
    night.calls('crm', 0, 10, 'shape', 'h1:1');
    night.answers(5, ['c']);
    return { first, second: night.tracker.seen() };
  }

  const earlierOf = ({ earlier = [] }: Pick<FleetIncident, 'earlier'>) =>
    earlier.map(({ cause, failed }) => `${cause} ${failed}`);
  const REOPENED_AT = Date.UTC(2026, 0, 31, 3, 3, 20);

  it('has the facts of its latest run, and keeps its id and when it opened first', () => {
    const { first, second } = bothRuns();
    const known = updateFleetIncidents([], [first], NOW);
    const again = only(updateFleetIncidents(known, [second, laterProcess()], REOPENED_AT));
    const { id, since, firstAt, reopened, isOpen, cause, calls, callers, hosts } = again;
    expect({ id, firstAt, reopened, isOpen }).toEqual({
      ...{ id: only(known).id, firstAt: only(known).since, reopened: 1, isOpen: true },
    });
    expect(Math.abs(since - REOPENED_AT)).toBeLessThanOrEqual(10);
    expect({ cause, calls, callers }).toEqual({
      ...{ cause: 'replies of another shape', calls: { failed: 30, total: 30 }, callers: { b: 1, c: 1 } },
    });
    expect(Object.keys(hosts).sort()).toEqual(['h1:1', 'h2:1']);
    expect(earlierOf(again)).toEqual(['replies that no outcome rule fits 20']);
  });

  it('has the sums of its earlier runs, each once, also of a process that is gone', () => {
    const { first, second } = bothRuns();
    const other = process('three', 'h3:1', 'd');
    const known = updateFleetIncidents([], [first, other], NOW);
    const again = updateFleetIncidents(known, [second, other, laterProcess()], REOPENED_AT);
    expect(earlierOf(only(again))).toEqual(['replies that no outcome rule fits 40']);
    const left = updateFleetIncidents(again, [laterProcess()], REOPENED_AT);
    expect(earlierOf(only(left))).toEqual(['replies that no outcome rule fits 40']);
  });

  it('has opened again also where no process saw both runs', () => {
    const known = updateFleetIncidents([], [process('one', 'h1:1', 'a')], NOW);
    const all = [process('one', 'h1:1', 'a'), laterProcess()];
    const again = only(updateFleetIncidents(known, all, REOPENED_AT));
    expect(again).toMatchObject({ reopened: 1, callers: { b: 1 }, cause: 'replies of another shape' });
    expect(earlierOf(again)).toEqual(['replies that no outcome rule fits 20']);
    expect(only(updateFleetIncidents([again], all, REOPENED_AT))).toEqual(again);
  });

  it('does not go back to a run before where only a process that saw that one is left', () => {
    const { first, second } = bothRuns();
    const known = updateFleetIncidents([], [second], REOPENED_AT);
    const left = only(updateFleetIncidents(known, [first], REOPENED_AT));
    expect(left).toMatchObject({ reopened: 1, callers: { c: 1 }, cause: 'replies of another shape' });
  });

  /** The incident as another process reads it. */
  const asJson = <T>(value: T) => JSON.parse(JSON.stringify(value)) as T;

  it('is not worse since a moment of an earlier run', () => {
    const night = createNight();
    night.seconds(20, () => night.calls('crm', 0, 2));
    night.answers(0, ['a']);
    const known = updateFleetIncidents([], [asJson(night.tracker.seen())], night.now);
    expect(only(known).worsenedAt).toBe(night.now);
    night.seconds(100);
    night.calls('crm', 0, 20);
    const again = only(updateFleetIncidents(known, [asJson(night.tracker.seen())], night.now));
    expect(again).toMatchObject({ reopened: 1, severity: 'warning' });
    expect(again.worsenedAt).toBeUndefined();
  });

  it('is as severe as its new run, also where another process has seen that one alone', () => {
    const night = createNight();
    const known = updateFleetIncidents([], [process('one', 'h1:1', 'a')], NOW);
    expect(only(known).severity).toBe('critical');
    const ended = updateFleetIncidents(known, [], NOW);
    night.moveTo(night.START + 50_000);
    night.calls('crm', 0, 20);
    const again = only(updateFleetIncidents(ended, [{ ...night.tracker.seen(), process: 'two' }], night.now));
    expect(again).toMatchObject({ isOpen: true, reopened: 1, severity: 'warning', since: night.now - 10 });
  });

  /** Two processes of which one has seen a last failure 10 s later, so only the other has ended its run as calls fail again. */
  function disagreeing() {
    const nights = [createNight(), createNight()] as const;
    const [one, other] = nights;
    for (const night of nights) night.seconds(10, () => night.calls('crm', 0, 2));
    one.seconds(60);
    other.seconds(10);
    other.calls('crm', 0, 1);
    other.seconds(50);
    const failAgain = () => nights.forEach((night) => night.calls('crm', 0, 20));
    const seen = () => nights.map(({ tracker }, at) => ({ ...tracker.seen(), process: String(at) }));
    const pass = (count: number) => nights.forEach((night) => night.seconds(count));
    return { one, failAgain, seen, pass };
  }

  it('has gone on where a process has seen no quiet minute, and keeps its beginning', () => {
    const { one, failAgain, seen } = disagreeing();
    const known = updateFleetIncidents([], seen(), one.now);
    failAgain();
    const views = seen();
    expect(views.map(({ incidents }) => only(incidents).reopened)).toEqual([1, 0]);
    for (const before of [[], known, updateFleetIncidents([], views.slice(0, 1), one.now)])
      expect(only(updateFleetIncidents(before, views, one.now))).toMatchObject({
        ...{ since: one.START - 10, reopened: 0, earlier: [] },
      });
  });

  it('has runs that do not overlap, although its processes disagreed on one', () => {
    const { one, failAgain, seen, pass } = disagreeing();
    failAgain();
    pass(100);
    failAgain();
    const { since, earlier = [], reopened, cause } = only(updateFleetIncidents([], seen(), one.now));
    expect({ since, reopened, cause }).toEqual({
      ...{ since: one.now - 10, reopened: 1, cause: 'answers with errors' },
    });
    expect(earlier).toEqual([expect.objectContaining({ since: one.START - 10, failed: 81 })]);
  });
});

describe('an incident of a fleet whose source fails again in another way', () => {
  it('has ended, and the other one stands beside it', () => {
    const night = createNight();
    const seen = () => [night.tracker.seen()];
    night.seconds(10, () => night.calls('crm', 0, 2, 'timeout'));
    const known = updateFleetIncidents([], seen(), night.now);
    night.seconds(100);
    const ended = updateFleetIncidents(known, seen(), night.now);
    night.seconds(10, () => night.calls('crm', 0, 2, 'credential'));
    const all = updateFleetIncidents(ended, seen(), night.now);
    expect(all.map(({ cause, isOpen, reopened }) => [cause, isOpen, reopened])).toEqual([
      ["refuses Portico's credential", true, 0],
      ['no answer in time', false, 0],
    ]);
    expect(all[1]?.id).toBe(only(known).id);
  });
});

describe('an incident that another process still sees', () => {
  it.each([
    ['a minute after the last failure that one of them saw', 20_000, 'open', 'ended'],
    ['without that one, whose clock is an hour ahead', 3_600_000, 'ended', 'ended'],
  ])('ends %s', (_, laterMs, before, after) => {
    const night = createNight();
    night.seconds(10, () => night.calls('crm', 0, 2));
    night.seconds(50);
    const seen = night.START + 9_000 + laterMs;
    night.tracker.seen([{ kind: 'source', subject: 'crm', since: night.START, seen }]);
    night.seconds(20);
    expect(night.short()).toEqual([`source crm ${before} 0`]);
    night.seconds(20);
    expect(night.short()).toEqual([`source crm ${after} 0`]);
  });
});
