// Lists for the description of an incident what was changed in the fleet before it, because a change is the most frequent
// cause.

import { type AuditEntry, readAuditLine } from '../../store/audit/audit-entry.ts';
import { BEFORE_MS, type FleetIncident } from '../../telemetry/incidents/fleet-incidents.ts';
import type { IncidentView } from '../api/incident-specs.ts';

type Change = IncidentView['before']['changes'][number];

const CHANGES_MAX = 10;
const PLACES_MAX = 4;
/** The start of an incident is known only to about two seconds, so a change may seem this much later. */
const CLOSE_MS = 2_000;
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
function reloadText({ outcome, after }: AuditEntry): string {
  const { changes, problems } = Object(after) as { readonly changes?: unknown; readonly problems?: unknown };
  if (outcome !== 'applied') return refusalText(outcome, problems);
  const places = Array.isArray(changes) ? (changes as readonly ChangedPlace[]) : [];
  const more = places.length > PLACES_MAX ? `, and ${places.length - PLACES_MAX} more` : '';
  return `${APPLIED}: ${places.slice(0, PLACES_MAX).map(placeText).join(', ')}${more}`;
}

function changeOf(entry: AuditEntry): Change {
  const { at, actor, action, target, outcome } = entry;
  const plain = `${action} ${target}${outcome === 'done' ? '' : ` (${outcome})`}`;
  return { at, by: actor, what: action === 'config.reload' ? reloadText(entry) : plain };
}

/** What changed in the fleet shortly before an incident, the latest first: by lines of the audit, and starts of processes. */
export function changesBeforeIncident(
  { since, starts }: Pick<FleetIncident, 'since' | 'starts'>,
  lines: readonly string[],
): readonly Change[] {
  const audited = lines.flatMap((line) => {
    const entry = readAuditLine(line);
    const at = Date.parse(entry?.at ?? '');
    return entry !== undefined && at > since - BEFORE_MS && at <= since + CLOSE_MS ? [changeOf(entry)] : [];
  });
  const started = starts.map(({ process, version, startedAt }) => ({
    at: new Date(startedAt).toISOString(),
    by: process,
    what: `a process started, version ${version}`,
  }));
  return [...audited, ...started].sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, CHANGES_MAX);
}

/** The latest change of the configuration that may be the cause of an incident. */
export function suspectChange(changes: readonly Change[], since: number): Change | undefined {
  return changes.find(({ at, what }) => {
    const beforeMs = since - Date.parse(at);
    return what.startsWith(APPLIED) && beforeMs <= SUSPECT_MS && beforeMs >= -CLOSE_MS;
  });
}
