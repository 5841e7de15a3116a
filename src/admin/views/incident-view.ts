// Describes an incident in words and numbers, for the console, `portico status` and messages to a webhook.

import { plural } from '../../kernel/plural.ts';
import { percentText } from '../../telemetry/conditions/condition.ts';
import { shareOf } from '../../telemetry/history/series-sums.ts';
import { lostFieldOf } from '../../telemetry/incidents/causes.ts';
import { CREDENTIAL_REFUSED } from '../../telemetry/incidents/failure-words.ts';
import { runsOf } from '../../telemetry/incidents/past-runs.ts';
import type { FleetIncident, IncidentScope } from '../../telemetry/incidents/fleet-incidents.ts';

import {
  type FailedOf,
  hasCalls,
  type Incident,
  type IncidentKind,
  isStarved,
} from '../../telemetry/incidents/incident.ts';
import type { IncidentView } from '../api/incident-specs.ts';
import { suspectChange } from './incident-changes.ts';
import { isQuiet, type PatienceFacts, whatHappensNext } from './incident-next.ts';
import { requestFilterOf, todoLine, todoOf } from './incident-todo.ts';

/** What the description of an incident needs besides its counts. */
export type IncidentFacts = PatienceFacts & {
  readonly now: number;
  readonly before: IncidentView['before'];
  readonly effects: IncidentView['effects'];
  /** The text of an entry of the runbook. */
  readonly runbook: (entry: string) => string | undefined;
};

const FAULTS: Readonly<Record<IncidentKind, IncidentView['fault']>> = {
  redis: 'redis',
  keys: 'redis',
  issuer: 'issuer',
  config: 'configuration',
  gateway: 'gateway',
  source: 'upstream',
  route: 'upstream',
  field: 'upstream',
  slow: 'upstream',
};

const FAULT_TEXTS: Readonly<Record<IncidentView['fault'], string>> = {
  upstream: 'the service behind the gateway, not the gateway',
  redis: 'Redis, not the gateway',
  issuer: 'the issuer of tokens, not the gateway',
  configuration: 'the files of the configuration',
  gateway: 'the gateway itself, not the services behind it',
};

const GO_BACK = 'portico config diff, portico config back';

/** The time of a change of the configuration that may be the cause of an incident. */
function suspectTime({ kind, since }: Incident, { changes }: IncidentView['before']): string | undefined {
  return kind === 'config' ? undefined : suspectChange(changes, since)?.at.slice(11, 19);
}

/** Whose fault an incident is. A credential that a service refuses stands in a file of ours. */
function faultOf({ kind, cause }: Incident, changedAt: string | undefined) {
  const isOurs = FAULTS[kind] === 'upstream' && cause.startsWith(CREDENTIAL_REFUSED);
  const fault = isOurs ? 'configuration' : FAULTS[kind];
  const usual = isOurs
    ? 'ours: the credential in the file of the source, unless the service has withdrawn it'
    : FAULT_TEXTS[fault];
  const perhaps = changedAt && `perhaps the configuration, changed at ${changedAt}: ${GO_BACK}`;
  return { fault, faultText: perhaps === undefined ? usual : `${perhaps}; else ${usual}` };
}

/** Who is affected, where answers do not say whose they are, or where none fails. */
function affectedBy(
  { kind, subject, answers }: Incident,
  { operationsOf }: PatienceFacts,
): string | undefined {
  const roles = subject.split('+');
  if (kind === 'field') {
    const lost = lostFieldOf(subject);
    return `all who read ${lost.field} by ${operationsOf(lost).join(', ')}: they get null with 200`;
  }
  if (answers.failed === 0) return undefined;
  if (kind === 'issuer') return 'callers with tokens; API keys are not affected';
  if (kind === 'redis' && roles.includes('keys'))
    return 'callers with keys and tokens that are not known yet';
  return kind === 'redis' && roles.includes('limits') ? 'callers of closed tiers' : undefined;
}

/** A line of the runbook with the names of a lost field. */
function withFieldNames(line: string, { kind, subject, cause }: Incident): string {
  if (kind !== 'field') return line;
  const { source, field } = lostFieldOf(subject);
  const how = cause.includes('unreadable') ? 'unreadable' : 'gone';
  return line
    .replaceAll('<source>', source)
    .replaceAll('<field>', field)
    .replace('gone (or .unreadable)', how);
}

const CALLERS_SHOWN = 10;
const iso = (ms: number) => new Date(ms).toISOString();
/** The time of day. */
const timeText = (ms: number) => `${iso(ms).slice(11, 19)} UTC`;
const withShare = ({ failed, total }: FailedOf) => ({ failed, total, share: shareOf(failed, total) });

/** What an incident is about, in words. */
function subjectText({ kind, subject }: Pick<Incident, 'kind' | 'subject'>): string {
  switch (kind) {
    case 'redis':
      return `Redis of ${subject.replaceAll('+', ', ')}`;
    case 'keys':
      return 'Redis of keys';
    case 'issuer':
      return 'issuer of tokens';
    case 'route':
    case 'source':
    case 'slow':
      return subject.startsWith('passthrough.')
        ? subject.replace('passthrough.', 'route ')
        : `source ${subject}`;
    case 'field':
      return `source ${subject.replace(' ', ', field ')}`;
    case 'config':
      return 'configuration';
    case 'gateway':
      return isStarved({ kind, subject }) ? `the gateway on ${subject}` : 'the gateway itself';
  }
}

/** The hosts of which most calls fail, if those of others do not. */
function failingHosts({ hosts }: Incident): readonly string[] {
  const all = Object.entries(hosts);
  const failing = all.filter(([, { failed, total }]) => failed > 0 && failed * 2 >= total);
  return failing.length < all.length ? failing.map(([host]) => host) : [];
}

/** How many keys are lost, as far as callers have shown. */
function lostKeysText({ kind, callers, otherCallers }: Incident): string {
  const count = Object.keys(callers).length;
  if (kind !== 'keys' || count === 0) return '';
  return ` (${otherCallers > 0 ? 'more than ' : ''}${plural(count, 'key')})`;
}

/** An incident in a sentence: what, why, since when and how much. */
export function incidentText(incident: Incident): string {
  const { cause, since, firstAt = since, reopened, calls, answers } = incident;
  const hosts = failingHosts(incident);
  const at = hosts.length === 0 ? '' : ` at ${hosts.join(', ')}`;
  const share = (counted: FailedOf, what: string) =>
    counted.failed === 0 ? '' : `, ${percentText(counted.failed / Math.max(1, counted.total))} of ${what}`;
  const parts = `${share(calls, 'its calls')}${share(answers, 'the answers')}`;
  const again =
    reopened === 0 ? '' : ` (first at ${timeText(firstAt)}, reopened ${plural(reopened, 'time')})`;
  return `${subjectText(incident)}: ${cause}${lostKeysText(incident)}${at} since ${timeText(since)}${again}${parts}`;
}

function callersOf({ callers, labels, otherCallers, answers }: Incident) {
  const all = Object.entries(callers).sort((a, b) => b[1] - a[1]);
  const shown = all.slice(0, CALLERS_SHOWN).map(([id, failed]) => {
    const label = labels[id];
    return { id, ...(label !== undefined && { label }), failed };
  });
  const rest = all.slice(CALLERS_SHOWN);
  const failed = rest.reduce((sum, [, count]) => sum + count, otherCallers);
  const unknown = answers.failed - shown.reduce((sum, one) => sum + one.failed, failed);
  return {
    callers: shown,
    moreCallers: { callers: rest.length, failed },
    ...(unknown > 0 && { unknownCallers: unknown }),
  };
}

/** How many answers were slow, or lack a value, where that is what is wrong. */
function flawedOf({ kind, operations, answers: { total } }: Incident) {
  const failed = Object.values(operations).reduce((sum, count) => sum + count, 0);
  return (kind === 'slow' || kind === 'field') && failed > 0 ? { flawed: withShare({ failed, total }) } : {};
}

/** The runs of an incident that reopened, with their times as text. */
const runTimesOf = (incident: Incident) =>
  runsOf(incident).map((run) => ({ ...run, since: iso(run.since), until: iso(run.until) }));

/** What an operator asks about an incident. */
export function compileIncident(incident: FleetIncident, facts: IncidentFacts): IncidentView {
  const { id, kind, subject, cause, severity, isOpen, since, last, reopened, worsenedAt, notSent, seen } =
    incident;
  const todo = todoOf(incident);
  const affected = affectedBy(incident, facts);
  const changedAt = suspectTime(incident, facts.before);
  const line = withFieldNames(todoLine(facts.runbook(todo.entry), cause), incident);
  const advice = isOpen || line === '' ? line : `it has ended; if it comes again, ${line}`;
  const hosts = Object.entries(incident.hosts)
    .map(([host, counted]) => ({ host, ...counted }))
    .sort((a, b) => b.failed - a.failed);
  return {
    ...{ id, kind, subject, cause, severity, reopened },
    text: incidentText(incident),
    state: isOpen ? 'open' : 'ended',
    ...{ since: iso(since), last: iso(seen) },
    ...(reopened === 0 ? {} : { firstAt: iso(incident.firstAt ?? since), runs: runTimesOf(incident) }),
    ...(isOpen ? { isQuiet: isQuiet(incident, facts.now) } : { ended: iso(last) }),
    ...(worsenedAt === undefined ? {} : { worsenedAt: iso(worsenedAt) }),
    ...faultOf(incident, changedAt),
    ...(hasCalls(kind) && { calls: { ...withShare(incident.calls), notSent } }),
    answers: { ...withShare(incident.answers), ...flawedOf(incident) },
    ...callersOf(incident),
    ...(affected !== undefined && { affected }),
    operations: Object.entries(incident.operations)
      .map(([name, failed]) => ({ name, failed }))
      .sort((a, b) => b.failed - a.failed),
    requestFilter: requestFilterOf(incident),
    hosts: hosts.length > 1 ? hosts : [],
    effects: facts.effects,
    before: facts.before,
    next: whatHappensNext(
      incident,
      { ...facts, isFull: facts.effects.some(({ code }) => code === 'saturated') },
      facts.now,
    ),
    todo: {
      ...todo,
      command: todo.command.replace('{redis}', facts.redisUrl(subject.split('+')) ?? 'redis://<host>:<port>'),
      line:
        changedAt === undefined
          ? advice
          : `see whether the change at ${changedAt} did it (${GO_BACK}); else ${advice}`,
    },
  };
}

const SCOPE_TEXTS: Readonly<Record<IncidentScope, string>> = {
  process: 'as this replica sees it',
  workers: 'as the workers of this replica see it',
  fleet: 'as the fleet sees it',
};

/** Which part of the fleet has seen the incidents, in words, and which workers did not answer; empty if the whole fleet has. */
export function incidentScopeText(scope: IncidentScope, silent: readonly number[]): string {
  if (silent.length > 0) {
    const workers = silent.length === 1 ? 'worker' : 'workers';
    return `${SCOPE_TEXTS[scope]}; no answer from ${workers} ${silent.join(', ')}`;
  }
  return scope === 'fleet' ? '' : SCOPE_TEXTS[scope];
}
