// The actions that read incidents, for the console and `portico status`, and the function that describes an incident for
// people, which messages to a webhook use, too.

import type { Clock } from '../../kernel/clock.ts';
import { resultWithin } from '../../kernel/result-within.ts';
import type { FleetIncident, IncidentReading } from '../../telemetry/incidents/fleet-incidents.ts';
import type { ServedBySource } from '../../telemetry/incidents/causes.ts';
import { type Actor, ActionRefusal } from '../api/action.ts';
import type { ActionInput, ActionName, ActionValue } from '../api/action-table.ts';
import type { ConfigDetail } from '../api/config-action-specs.ts';
import type { IncidentView } from '../api/incident-specs.ts';
import { changesBeforeIncident } from '../views/incident-changes.ts';
import type { PatienceFacts } from '../views/incident-next.ts';
import { effectsIn, type Found, othersOf, rootsOf } from '../views/attention.ts';
import { compileIncident, incidentScopeText } from '../views/incident-view.ts';
import { todoOf } from '../views/incident-todo.ts';
import type { Act, ActionHandlers } from './act.ts';

/** What the description of an incident needs besides the incident. */
export type IncidentDescriberDeps = {
  readonly clock: Pick<Clock, 'now'>;
  /** Carries out the actions that read the audit and the runbook. */
  readonly act: Act;
  /** The reloads of this gateway, which it knows without the audit. */
  readonly reloads: () => ConfigDetail['reloads'];
  readonly patience: () => PatienceFacts;
};

/** Describes incidents, with what changed before each and what an operator can do. */
export type DescribeIncidents = ReturnType<typeof createIncidentDescriber>;

const READER: Actor = { name: 'gateway', role: 'viewer' };
/** Of how many incidents it is remembered what changed before them. */
const REMEMBERED_MAX = 400;
/** From this time after the start of an incident on, no earlier change is still on its way to the audit. */
const SETTLED_MS = 60_000;
/** How long the audit is waited for: a message can wait, a person cannot. */
const [MESSAGE_WAITS_MS, PERSON_WAITS_MS] = [10_000, 1_000];
const AUDIT_PROBLEM = 'the audit cannot be read now, so changes may be missing';
const AUDIT_LOST = 'the audit was in the same Redis, so changes may be missing';

/** Asks for an action that only reads; `undefined` if it is refused or fails. */
async function read<Name extends ActionName>(act: Act, name: Name, input: ActionInput<Name>) {
  const result = await act(name, input, READER).catch(() => undefined);
  return result?.kind === 'done' ? (result.value as ActionValue<Name>) : undefined;
}

/** A run of an incident: what changed before an earlier one is not what changed before this one. */
const runOf = ({ id, since }: FleetIncident) => `${id} ${since}`;

/** Creates the function that describes incidents. What changed before the run of one is read once. */
export function createIncidentDescriber({ clock, act, reloads, patience }: IncidentDescriberDeps) {
  const settled = new Map<string, IncidentView['before']>();
  /** The entries of the runbook that were read, by their names. */
  const texts = new Map<string, string>();

  /** What changed before each incident. */
  async function changesOf(incidents: readonly FleetIncident[], waitMs: number) {
    if (settled.size > REMEMBERED_MAX) settled.clear();
    const isSettled = incidents.every((one) => settled.has(runOf(one)));
    const lines = isSettled ? [] : (await resultWithin(waitMs, read(act, 'audit', {})))?.lines;
    return incidents.map((one): IncidentView['before'] => {
      const known = settled.get(runOf(one));
      if (known !== undefined) return known;
      const lost = lines === undefined ? AUDIT_PROBLEM : one.kind === 'keys' ? AUDIT_LOST : undefined;
      const changes = changesBeforeIncident(one, lines ?? [], lost === undefined ? [] : reloads());
      if (lost !== undefined) return { changes, problem: lost };
      if (clock.now() - one.since > SETTLED_MS) settled.set(runOf(one), { changes });
      return { changes };
    });
  }

  async function readEntries(incidents: readonly FleetIncident[]): Promise<void> {
    const entries = new Set(incidents.map((one) => todoOf(one).entry));
    for (const entry of entries)
      if (!texts.has(entry)) texts.set(entry, (await read(act, 'runbook', { entry }))?.text ?? '');
  }

  return async function describe(
    incidents: readonly FleetIncident[],
    effectsOf?: ReturnType<typeof effectsIn>,
    /** How long it waits for the audit. */
    waitMs = MESSAGE_WAITS_MS,
  ): Promise<readonly IncidentView[]> {
    const [changes] = await Promise.all([changesOf(incidents, waitMs), readEntries(incidents)]);
    const facts = { ...patience(), now: clock.now(), runbook: (entry: string) => texts.get(entry) };
    return incidents.map((one, at) =>
      compileIncident(one, {
        ...facts,
        effects: one.isOpen ? (effectsOf?.(one) ?? []) : [],
        before: changes[at] ?? { changes: [] },
      }),
    );
  };
}

/** What the actions that read incidents need. `known` is called anew for each request. */
export type IncidentActionsDeps = {
  readonly clock: Pick<Clock, 'now'>;
  readonly known: () => Promise<IncidentReading>;
  readonly describe: DescribeIncidents;
  /** The conditions that hold now. */
  readonly conditions: () => Promise<readonly Found[]>;
  readonly served: () => readonly ServedBySource[];
};

/** Creates the actions that read incidents. */
export function createIncidentActions({ clock, known, describe, conditions, served }: IncidentActionsDeps) {
  const head = ({ scope, silent }: IncidentReading) => ({
    ...{ scope, scopeText: incidentScopeText(scope, silent), silent },
    at: new Date(clock.now()).toISOString(),
  });

  /** Describes the incidents that `choose` wants, and what no incident explains, of one moment. */
  async function described(choose: (incidents: readonly FleetIncident[]) => readonly FleetIncident[]) {
    const [reading, found] = await Promise.all([known(), conditions()]);
    const open = reading.incidents.filter(({ isOpen }) => isOpen);
    const effects = effectsIn(found, open, served());
    const incidents = await describe(choose(reading.incidents), effects, PERSON_WAITS_MS);
    return { ...head(reading), incidents, others: othersOf(found, open, served()) };
  }

  return {
    incidents: () =>
      described((all) => {
        const ended = all.filter(({ isOpen }) => !isOpen);
        return [...rootsOf(all), ...ended.sort((one, other) => other.seen - one.seen)];
      }),
    async incident({ id }) {
      const { incidents, others: _, ...of } = await described((all) => all.filter((one) => one.id === id));
      const [incident] = incidents;
      if (incident === undefined) {
        const hint = 'incidents are kept for 24 hours: portico status lists them';
        throw new ActionRefusal('not_found', `no incident has the id ${id}`, hint);
      }
      return { ...of, incident };
    },
  } satisfies ActionHandlers;
}
