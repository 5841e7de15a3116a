import type { Incident } from '../../telemetry/incidents/incident.ts';
import { sourceOfIncident } from '../../telemetry/incidents/effects.ts';

/** What is to be done about an incident, before the runbook is read. */
type Todo = { readonly entry: string; readonly view: string; readonly command: string };

const REDIS_ENTRIES = [
  ['full', 'PorticoRedisFull'],
  ['writes', 'PorticoRedisRefusing'],
] as const;

/** The entry for why calls to an upstream fail, by words of the cause. */
const SOURCE_ENTRIES = [
  ['credential', 'upstream_error'],
  ['shape', 'upstream_invalid_response'],
  ['outcome rule', 'upstream_invalid_response'],
  ['no answer within', 'upstream_timeout'],
  ['answers', 'upstream_error'],
] as const;

function entryFor(cause: string, entries: readonly (readonly [string, string])[], otherwise: string): string {
  return entries.find(([words]) => cause.includes(words))?.[1] ?? otherwise;
}

/** The entry of the runbook, the view and the command for an incident. */
export function todoOf(incident: Pick<Incident, 'kind' | 'subject' | 'cause'>): Todo {
  const { kind, cause } = incident;
  const source = sourceOfIncident(incident) ?? '';
  const view = `#/source/${encodeURIComponent(source)}`;
  const requests = '#/requests?status=5xx';
  switch (kind) {
    case 'redis':
      return {
        entry: entryFor(cause, REDIS_ENTRIES, 'PorticoRedisLost'),
        view: '#/overview',
        command: 'redis-cli ping',
      };
    case 'issuer':
      return {
        entry: 'PorticoCredentialsUnavailable',
        view: requests,
        command: 'portico requests --status 503',
      };
    case 'source':
      return {
        entry: entryFor(cause, SOURCE_ENTRIES, 'upstream_unavailable'),
        view,
        command: `portico doctor ${source}`,
      };
    case 'route':
      return {
        ...{ entry: entryFor(cause, SOURCE_ENTRIES, 'upstream_unavailable'), view },
        command: `portico requests --status 5xx --operation ${source}`,
      };
    case 'field':
      return { entry: 'PorticoFieldLost', view, command: `portico quality ${source}` };
    case 'slow':
      return { entry: 'upstream_timeout', view, command: 'portico requests --status slow' };
    case 'config':
      return { entry: 'PorticoConfigStale', view: '#/config', command: 'portico check' };
    case 'gateway':
      return { entry: 'server_error', view: requests, command: 'portico requests --status 500' };
  }
}

const LINE_CHARS_MAX = 240;

/** What an entry of the runbook says is to do: its first sentences. */
export function todoLine(entry: string | undefined): string {
  const text = /\*\*Do:\*\*\s*([\s\S]*?)(?:\n\n|$)/.exec(entry ?? '')?.[1] ?? '';
  const plain = text
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (plain.length <= LINE_CHARS_MAX) return plain;
  const cut = plain.slice(0, LINE_CHARS_MAX);
  const end = Math.max(cut.lastIndexOf('. '), cut.lastIndexOf('; '));
  return end > 40 ? `${cut.slice(0, end)}.` : `${cut.trimEnd()} …`;
}
