import { updateFleetIncidents } from '../../../../src/telemetry/incidents/fleet-incidents.ts';
import { createNight, only } from './incident-night.ts';

const NOW = Date.UTC(2026, 0, 31, 3, 0, 1);

/** What a process sees of a source whose calls at a host fail, with answers to a caller. */
function process(name: string, host: string, caller: string) {
  const night = createNight();
  night.calls('crm', 0, 20, 'unreachable', host);
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
