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
export const fieldSubject = (source: string, resource: string, field: string): string =>
  `${source} ${resource}.${field}`;

type Explains = (incident: Incident, subject: Subject, served: ServedParts | undefined) => boolean;

const ofKind =
  (...kinds: readonly Incident['kind'][]): Explains =>
  ({ kind }) =>
    kinds.includes(kind);

/** A Redis of a role is wrong. */
const ofRole =
  (role: string): Explains =>
  ({ kind, subject }) =>
    kind === 'redis' && subject.split('+').includes(role);

/** The source of the condition fails; or one of these kinds is the cause. */
const ofSource =
  (...kinds: readonly Incident['kind'][]): Explains =>
  (incident, { source }) =>
    ['source', 'route', ...kinds].includes(incident.kind) && sourceOfIncident(incident) === source;

const ofResource: Explains = ({ kind }, { resource }, served) =>
  kind === 'source' && served?.resources.includes(String(resource)) === true;

const either =
  (...all: readonly Explains[]): Explains =>
  (...about) =>
    all.some((explains) => explains(...about));

/** Which incidents a condition may be an effect of, by its id; a condition that is absent has no such cause. */
const CAUSES: Readonly<Record<string, Explains>> = {
  redis_lost: ofKind('redis'),
  redis_full: ofKind('redis'),
  redis_refusing: ofKind('redis'),
  limits_alone: ofRole('limits'),
  limiter_unavailable: ofRole('limits'),
  cache_failing: ofRole('cache'),
  migration_stale: ofRole('keys'),
  credentials_unavailable: either(ofRole('keys'), ofKind('issuer')),
  server_errors: ofKind('gateway', 'redis'),
  config_stale: ofKind('config'),
  breaker_open: ofSource(),
  breaker_half_open: ofSource(),
  replies_invalid: ofSource(),
  source_failing: ofSource(),
  saturated: ofSource('slow'),
  claims_fallen: (incident, subject) =>
    String(subject['claims']).includes('auth.proof') && ofSource()(incident, subject, undefined),
  field_lost: ({ kind, subject }, { source, resource, field }) =>
    kind === 'field' && subject === fieldSubject(String(source), String(resource), String(field)),
  errors: ({ answers }) => answers.failed > 0,
  stale_served: ofKind('source', 'slow'),
  slow: ({ kind }, { operation }, served) =>
    (kind === 'source' || kind === 'route' || kind === 'slow') &&
    served?.operations.includes(String(operation)) === true,
  migration_breaker: ofResource,
  migration_fallback: ofResource,
  migration_stopped: ofResource,
};

/** The incident that a condition is an effect of; `undefined`: none explains it. */
export function explanationOf<T extends Incident>(
  condition: string,
  subject: Subject,
  open: readonly T[],
  served: readonly ServedParts[],
): T | undefined {
  const explains = CAUSES[condition];
  return (
    explains &&
    open.find((one) =>
      explains(
        one,
        subject,
        served.find(({ name }) => name === sourceOfIncident(one)),
      ),
    )
  );
}

/** The deeper incident that an incident is itself an effect of: a source that fails is late, and its shape loses fields. */
export function deeperCause<T extends Incident>(incident: T, open: readonly T[]): T | undefined {
  if (incident.kind !== 'slow' && incident.kind !== 'field') return undefined;
  const source = sourceOfIncident(incident);
  return open.find(
    (one) =>
      (one.kind === 'source' || one.kind === 'route') &&
      one.subject === source &&
      (incident.kind === 'slow' || one.cause.includes('shape')),
  );
}
