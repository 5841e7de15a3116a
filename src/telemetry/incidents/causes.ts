import type { Subject } from '../conditions/condition.ts';
import type { Incident } from './incident.ts';

/** What a source or a route serves. */
export type ServedParts = {
  readonly name: string;
  readonly resources: readonly string[];
  readonly operations: readonly string[];
};

/** The source of an incident that has one; the subject of a lost field is its source, then the field. */
export const sourceOfIncident = ({
  kind,
  subject,
}: Pick<Incident, 'kind' | 'subject'>): string | undefined =>
  ['source', 'route', 'slow', 'field'].includes(kind) ? subject.split(' ')[0] : undefined;

/** The subject of an incident about a lost field. */
export const lostFieldSubject = (source: string, resource: string, field: string): string =>
  `${source} ${resource}.${field}`;

/**
 * Which incidents a condition may be an effect of: their kinds, and what they must have in common. `source`, `resource`,
 * `operation`: that of the condition. A role: the Redis has it. A condition that is absent has no such cause.
 */
const CAUSES: Readonly<Record<string, readonly (readonly [kinds: string, common?: string])[]>> = {
  redis_lost: [['redis']],
  redis_full: [['redis']],
  redis_refusing: [['redis']],
  limits_alone: [['redis', 'limits']],
  limiter_unavailable: [['redis', 'limits']],
  cache_failing: [['redis', 'cache']],
  migration_stale: [['redis', 'keys']],
  credentials_unavailable: [['redis', 'keys'], ['issuer']],
  issuer_lost: [['issuer']],
  server_errors: [['gateway redis']],
  config_stale: [['config']],
  breaker_open: [['source route', 'source']],
  breaker_half_open: [['source route', 'source']],
  replies_invalid: [['source route', 'source']],
  source_failing: [['source route', 'source']],
  claims_fallen: [['source', 'proof']],
  saturated: [['source route slow', 'source']],
  field_lost: [['field', 'field']],
  errors: [['redis issuer source route gateway', 'answers']],
  stale_served: [['source slow']],
  slow: [['source route slow', 'operation']],
  migration_breaker: [['source', 'resource']],
  migration_fallback: [['source', 'resource']],
  migration_stopped: [['source', 'resource']],
};

function hasInCommon(
  common: string | undefined,
  one: Incident,
  subject: Subject,
  served?: ServedParts,
): boolean {
  const said = (name: string) => String(subject[name]);
  switch (common) {
    case undefined:
      return true;
    case 'source':
      return one.subject === said('source');
    case 'proof':
      return one.subject === said('source') && said('claims').includes('auth.proof');
    case 'field':
      return one.subject === lostFieldSubject(said('source'), said('resource'), said('field'));
    case 'resource':
      return served?.resources.includes(said('resource')) === true;
    case 'operation':
      return served?.operations.includes(said('operation')) === true;
    case 'answers':
      return one.answers.failed > 0;
    default:
      return one.subject.split('+').includes(common);
  }
}

/** The incident that a condition is an effect of; `undefined`: none explains it. */
export function explanationOf<T extends Incident>(
  condition: string,
  subject: Subject,
  open: readonly T[],
  served: readonly ServedParts[],
): T | undefined {
  const causes = CAUSES[condition] ?? [];
  return open.find((one) => {
    const parts = served.find(({ name }) => name === sourceOfIncident(one));
    return causes.some(
      ([kinds, common]) => kinds.split(' ').includes(one.kind) && hasInCommon(common, one, subject, parts),
    );
  });
}

/** The deeper incident that an incident is an effect of: a source that fails is late, and another shape loses fields. */
export function rootIncidentOf<T extends Incident>(incident: T, open: readonly T[]): T | undefined {
  const isEffect = { slow: () => true, field: (cause: string) => cause.includes('shape') }[
    incident.kind as string
  ];
  return open.find(
    ({ kind, subject, cause }) =>
      (kind === 'source' || kind === 'route') &&
      subject === sourceOfIncident(incident) &&
      isEffect?.(cause) === true,
  );
}
