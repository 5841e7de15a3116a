// Says for the description of an incident what an operator should do: the entry of the runbook, the view and the command.

import { sourceOfIncident } from '../../telemetry/incidents/causes.ts';
import { CREDENTIAL_REFUSED } from '../../telemetry/incidents/failure-words.ts';
import { type Incident, type IncidentKind, isStarved } from '../../telemetry/incidents/incident.ts';
import type { IncidentView } from '../api/incident-specs.ts';

const SOURCE_VIEW = '#/source/{source}';

/** The entry of the runbook, the view and the command for each kind; `{source}` stands for its source. */
const TODOS: Readonly<
  Record<IncidentKind | 'starved', readonly [entry: string, view: string, command: string]>
> = {
  redis: ['PorticoRedisLost', '#/overview', 'redis-cli -u {redis} ping'],
  keys: ['PorticoKeysLost', '#/callers', 'portico keys list'],
  issuer: ['PorticoIssuerLost', '#/requests?status=5xx', 'portico requests --status 503'],
  source: ['upstream_unavailable', SOURCE_VIEW, 'portico doctor {source}'],
  route: ['upstream_unavailable', SOURCE_VIEW, 'portico requests --status 5xx --operation {source}'],
  field: ['PorticoFieldLost', SOURCE_VIEW, 'portico quality {source}'],
  slow: ['PorticoSlow', SOURCE_VIEW, 'portico requests --status slow'],
  config: ['PorticoConfigStale', '#/config', 'portico check'],
  gateway: ['server_error', '#/requests?status=5xx', 'portico requests --status 500'],
  starved: ['overloaded', '#/requests?status=slow', 'portico requests --status slow'],
};

const REDIS: readonly IncidentKind[] = ['redis'];
const UPSTREAM: readonly IncidentKind[] = ['source', 'route'];

/** More exact entries, by words of the cause: the first that fits counts. */
const BY_CAUSE: readonly (readonly [kinds: readonly IncidentKind[], words: string, entry: string])[] = [
  [REDIS, 'full', 'PorticoRedisFull'],
  [REDIS, 'writes', 'PorticoRedisRefusing'],
  [UPSTREAM, 'credential', 'upstream_error'],
  [UPSTREAM, 'shape', 'upstream_invalid_response'],
  [UPSTREAM, 'outcome rule', 'upstream_invalid_response'],
  [UPSTREAM, 'no answer', 'upstream_timeout'],
  [UPSTREAM, 'answers', 'upstream_error'],
];

/** The entry of the runbook, the view and the command for an incident. */
export function todoOf(
  incident: Pick<Incident, 'kind' | 'subject' | 'cause'>,
): Omit<IncidentView['todo'], 'line'> {
  const { kind, cause } = incident;
  const [usual, view, command] = TODOS[isStarved(incident) ? 'starved' : kind];
  const source = sourceOfIncident(incident) ?? '';
  const exact = BY_CAUSE.find(([kinds, words]) => kinds.includes(kind) && cause.includes(words));
  return {
    entry: exact?.[2] ?? usual,
    view: view.replace('{source}', encodeURIComponent(source)),
    command: command.replace('{source}', source),
  };
}

const SECOND_MS = 1_000;

/**
 * The filter of the list of requests that shows those of an incident. It begins a second before the incident, because a request
 * comes shortly before its first call. `undefined`: its requests are not kept, because they do not fail.
 */
export function requestFilterOf({
  kind,
  subject,
  since,
  operations,
}: Incident): IncidentView['requestFilter'] {
  // The trace of a slow answer may not name its source.
  const [only, ...more] = Object.keys(operations);
  const filters: Readonly<Record<IncidentKind, IncidentView['requestFilter']>> = {
    source: { source: subject },
    route: { operation: subject },
    slow: { status: 'slow', ...(only !== undefined && more.length === 0 && { operation: only }) },
    issuer: { source: subject },
    gateway: subject === 'answers' ? { code: 'server_error' } : { status: 'slow' },
    redis: { status: '5xx' },
    keys: { source: 'redis.keys', status: '401' },
    field: undefined,
    config: undefined,
  };
  const own = filters[kind];
  return own && { since: new Date(since - SECOND_MS).toISOString(), ...own };
}

const LINE_CHARS_MAX = 240;

/** The advice of an entry of the runbook for a cause: its first sentences, as plain text. */
export function todoLine(entry: string | undefined, cause: string): string {
  const label = cause.startsWith(CREDENTIAL_REFUSED) ? 'Do for 401 and 403' : 'Do';
  const [, advice = ''] = entry?.split(`**${label}:**`) ?? [];
  const [text = ''] = advice.split(/\n\n|\n\*\*/, 1);
  const plain = text
    .replaceAll(/\[([^[\]]+)\]\([^()]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (plain.length <= LINE_CHARS_MAX) return plain;
  const cut = plain.slice(0, LINE_CHARS_MAX);
  const end = Math.max(cut.lastIndexOf('. '), cut.lastIndexOf('; '));
  // If what fits ends with a sentence of a few words, the text is cut in the next one, because so few say too little.
  return end > 40 ? `${cut.slice(0, end)}.` : `${cut.trimEnd()} …`;
}
