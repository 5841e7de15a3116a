// Lists for the description of an incident what was changed in the fleet before it, because a change is the most frequent
// cause.

import { type AuditEntry, readAuditLine } from '../../store/audit/audit-entry.ts';
import { BEFORE_MS, type FleetIncident } from '../../telemetry/incidents/fleet-incidents.ts';
import type { ConfigDetail } from '../api/config-action-specs.ts';
import type { IncidentView } from '../api/incident-specs.ts';

type Change = IncidentView['before']['changes'][number];

const CHANGES_MAX = 10;
const PLACES_MAX = 4;
/** A change this short a time before an incident may be its cause. */
const SUSPECT_MS = 60_000;
const APPLIED = 'reload applied';

type ChangedPlace = {
  readonly path?: unknown;
  readonly kind?: unknown;
  readonly before?: unknown;
  readonly after?: unknown;
};

function placeText({ path, kind, before, after }: ChangedPlace): string {
  const values = before === undefined && after === undefined ? '' : ` ${String(before)} → ${String(after)}`;
  return `${String(path)} ${String(kind)}${values}`;
}

/** Why a reload was refused: the first problem with its hint, which the outcome lacks. */
function refusalText(outcome: string, problems: unknown): string {
  const [first, ...hint] = Array.isArray(problems) ? String(problems[0]).split('\n') : [];
  const isFirst = first !== undefined && outcome.includes(first);
  return ['reload ' + outcome, ...(isFirst ? hint : [])].map((line) => line.trim()).join('; ');
}

/** What a reload made different, as its line of the audit has it. */
function reloadText({ outcome, after }: Pick<AuditEntry, 'outcome' | 'after'>): string {
  const { changes, problems } = Object(after) as { readonly changes?: unknown; readonly problems?: unknown };
  if (outcome !== 'applied') return refusalText(outcome, problems);
  const places = Array.isArray(changes) ? (changes as readonly ChangedPlace[]) : [];
  const more = places.length > PLACES_MAX ? `, and ${places.length - PLACES_MAX} more` : '';
  return `${APPLIED}: ${places.slice(0, PLACES_MAX).map(placeText).join(', ')}${more}`;
}

function changeOf(entry: AuditEntry): Change {
  const { at, actor, action, target, outcome, gateway } = entry;
  if (action !== 'config.reload')
    return { at, by: actor, what: `${action} ${target}${outcome === 'done' ? '' : ` (${outcome})`}` };
  // Files that one process refuses may be good for others.
  return { at, by: outcome === 'applied' ? actor : `${actor} at ${gateway}`, what: reloadText(entry) };
}

/** A reload as the history of this gateway has it. */
function reloadOf({ at, by, outcome, changes, problems = [] }: ConfigDetail['reloads'][number]): Change {
  const [first = ''] = problems[0]?.split('\n') ?? [];
  const said = outcome === 'refused' ? `refused: ${first}` : outcome;
  return { at, by, what: reloadText({ outcome: said, after: { changes, problems } }) };
}

/** The same change in several processes, the latest first, as one: people want to know of it once. */
function onceEach(changes: readonly Change[]): readonly Change[] {
  return [...Map.groupBy(changes, ({ what }) => what).values()].flatMap((same) => {
    const [latest] = same;
    const others = new Set(same.map(({ by }) => by)).size - 1;
    return latest === undefined
      ? []
      : [others > 0 ? { ...latest, by: `${latest.by} and ${others} more` } : latest];
  });
}

/**
 * What changed in the fleet shortly before an incident, the latest first: by lines of the audit, and starts of processes; without
 * the audit, by the reloads of this gateway.
 */
export function changesBeforeIncident(
  { since, starts }: Pick<FleetIncident, 'since' | 'starts'>,
  lines: readonly string[],
  reloads: ConfigDetail['reloads'] = [],
): readonly Change[] {
  // Times are shown to the second, so a change in the same second is not seen to be later.
  const endMs = Math.floor(since / 1_000 + 1) * 1_000;
  const audited = lines.flatMap((line) => {
    const entry = readAuditLine(line);
    return entry === undefined ? [] : [changeOf(entry)];
  });
  const reloaded = reloads.filter(({ outcome }) => outcome === 'applied' || outcome === 'refused');
  const changed = [...audited, ...reloaded.map(reloadOf)].filter(({ at }) => {
    const ms = Date.parse(at);
    return ms > since - BEFORE_MS && ms < endMs;
  });
  const started = starts.map(({ process, version, startedAt }) => ({
    at: new Date(startedAt).toISOString(),
    by: process,
    what: `a process started, version ${version}`,
  }));
  return onceEach([...changed, ...started].sort((a, b) => (a.at < b.at ? 1 : -1))).slice(0, CHANGES_MAX);
}

/** A reload of limits alone: it makes no dependency fail. */
const LIMITS_ALONE = /^reload applied: limits\.[^,]*(?:, limits\.[^,]*)*$/;

/** The latest change of the configuration that may be the cause of an incident. */
export function suspectChange(changes: readonly Change[], since: number): Change | undefined {
  return changes.find(
    ({ at, what }) =>
      what.startsWith(APPLIED) && !LIMITS_ALONE.test(what) && since - Date.parse(at) <= SUSPECT_MS,
  );
}
