// Says which open incident explains a condition or another incident, so that the console shows effects below their cause.

import type { Subject } from '../conditions/condition.ts';
import { type Incident, type IncidentKind, isStarved } from './incident.ts';

/** The resources and operations that one source or route serves; `name` is the source or route. */
export type ServedBySource = {
  readonly name: string;
  readonly resources: readonly string[];
  readonly operations: readonly string[];
};

/** The source of an incident, if it has one. The subject of a lost field is `<source> <resource>.<field>`. */
export const sourceOfIncident = ({
  kind,
  subject,
}: Pick<Incident, 'kind' | 'subject'>): string | undefined =>
  ['source', 'route', 'slow', 'field'].includes(kind) ? subject.split(' ')[0] : undefined;

/** The subject of an incident about a lost field. */
export const lostFieldSubject = (source: string, resource: string, field: string): string =>
  `${source} ${resource}.${field}`;

/** The parts of the subject of an incident about a lost field. The name of a field may have points. */
export function lostFieldOf(subject: string): Readonly<Record<'source' | 'resource' | 'field', string>> {
  const [space, point] = [subject.indexOf(' '), subject.indexOf('.', subject.indexOf(' '))];
  return {
    source: subject.slice(0, space),
    resource: subject.slice(space + 1, point),
    field: subject.slice(point + 1),
  };
}

/** Whether a condition may be an effect of an incident. `subject`: where it holds. `served`: what the incident's source serves. */
type IsCause = (incident: Incident, subject: Subject, served: ServedBySource | undefined) => boolean;

const ofKind =
  (...kinds: readonly IncidentKind[]): IsCause =>
  ({ kind }) =>
    kinds.includes(kind);

/** True if the incident is about a Redis with this role. */
const redisOf =
  (role: string): IsCause =>
  ({ kind, subject }) =>
    kind === 'redis' && subject.split('+').includes(role);

/** True if the incident and the condition are about the same source or route. */
const sameSource =
  (...kinds: readonly IncidentKind[]): IsCause =>
  (incident, { source }) =>
    kinds.includes(incident.kind) && incident.subject === source;

const sameField: IsCause = ({ kind, subject: name }, { source, resource, field }) =>
  kind === 'field' && name === lostFieldSubject(String(source), String(resource), String(field));

const servesResource: IsCause = ({ kind }, { resource }, served) =>
  kind === 'source' && served?.resources.includes(String(resource)) === true;

const servesOperation: IsCause = ({ kind }, { operation }, served) =>
  ['source', 'route', 'slow'].includes(kind) && served?.operations.includes(String(operation)) === true;

const both =
  (one: IsCause, other: IsCause): IsCause =>
  (...about) =>
    one(...about) && other(...about);

/** The possible causes of each condition, by its id. A condition that is absent is never an effect of an incident. */
const CAUSES: Readonly<Record<string, readonly IsCause[]>> = {
  redis_lost: [ofKind('redis')],
  redis_full: [ofKind('redis')],
  redis_refusing: [ofKind('redis')],
  limits_alone: [redisOf('limits')],
  limiter_unavailable: [redisOf('limits')],
  cache_failing: [redisOf('cache')],
  migration_stale: [redisOf('keys')],
  keys_lost: [ofKind('keys')],
  // Another process does not know whose lost keys it refuses, so it takes their owners for somebody who guesses.
  guessing: [ofKind('keys')],
  credentials_unavailable: [redisOf('keys'), ofKind('issuer')],
  issuer_lost: [ofKind('issuer')],
  server_errors: [ofKind('gateway', 'redis')],
  config_stale: [ofKind('config')],
  breaker_open: [sameSource('source', 'route')],
  breaker_half_open: [sameSource('source', 'route')],
  replies_invalid: [sameSource('source', 'route')],
  source_failing: [sameSource('source', 'route'), isStarved],
  claims_fallen: [both(sameSource('source'), (_, { claims }) => String(claims).includes('auth.proof'))],
  saturated: [sameSource('source', 'route', 'slow'), isStarved],
  shedding: [isStarved],
  field_lost: [sameField],
  errors: [
    both(
      ofKind('redis', 'issuer', 'source', 'route', 'slow', 'gateway'),
      ({ answers }) => answers.failed > 0,
    ),
  ],
  stale_served: [ofKind('source', 'slow')],
  slow: [servesOperation, isStarved],
  migration_breaker: [servesResource],
  migration_fallback: [servesResource],
  migration_stopped: [servesResource],
};

/** The open incident whose effect a condition is; `undefined` if no incident explains it. */
export function explanationOf<T extends Incident>(
  condition: string,
  subject: Subject,
  open: readonly T[],
  served: readonly ServedBySource[],
): T | undefined {
  return open.find((one) => {
    const parts = served.find(({ name }) => name === sourceOfIncident(one));
    return CAUSES[condition]?.some((isCause) => isCause(one, subject, parts)) === true;
  });
}

/**
 * The open incident whose effect another incident is: a source of which more calls fail is also slow, and replies of another shape also
 * lose fields. `undefined` if there is none.
 */
export function rootIncidentOf<T extends Incident>(incident: T, open: readonly T[]): T | undefined {
  const source = sourceOfIncident(incident);
  return open.find(
    ({ kind, subject, cause, calls }) =>
      (kind === 'source' || kind === 'route') &&
      subject === source &&
      ((incident.kind === 'slow' && calls.failed >= incident.calls.failed) ||
        (incident.kind === 'field' && cause.includes('shape'))),
  );
}
