// Says for the description of an incident what the gateway will do by itself and when, so that an operator knows whether to
// wait.

import { plural } from '../../kernel/plural.ts';
import type { FleetIncident } from '../../telemetry/incidents/fleet-incidents.ts';
import { QUIET_MS } from '../../telemetry/incidents/incident.ts';
import { type lostFieldOf, sourceOfIncident } from '../../telemetry/incidents/causes.ts';

/** What a configuration says about a failure and the time after it, in milliseconds. */
export type PatienceFacts = {
  /** How long the breaker of a source stays open. */
  readonly breakerMs: (source: string) => number | undefined;
  /** How long the last answer of a source may still be served; `undefined`: no older answers are served. */
  readonly staleMs: (source: string) => number | undefined;
  /** How long a known key is accepted without Redis. `issuerMs`: how long the last key set of the token issuer is used. */
  readonly keysMs: number;
  readonly issuerMs: number;
  /** How long the issuer is not asked again after a failure while its last key set serves. */
  readonly issuerPauseMs: number;
  /** Where the Redis of some roles is, as a URL without credentials. */
  readonly redisUrl: (roles: readonly string[]) => string | undefined;
  /** The operations that lack a field that a source has lost. */
  readonly operationsOf: (lost: ReturnType<typeof lostFieldOf>) => readonly string[];
};

/** `isFull`: calls of its source wait, because as many as may be are under way. */
type NextFacts = PatienceFacts & { readonly isFull: boolean };

const seconds = (ms: number) => plural(Math.ceil(ms / 1_000), 'second');

function leftText(what: string, leftMs: number, over: string): string {
  return leftMs > 0 ? `${what} for at most ${seconds(leftMs)} more` : over;
}

/** The states of a breaker, the worst first. */
const BREAKER_STATES = ['open', 'half_open', 'closed'] as const;

/** How the breakers of a source stand in the processes of the fleet, and which call asks the source next. */
function breakerText(
  { breakerAt, breakers = {} }: FleetIncident,
  breakerMs: number,
  isFull: boolean,
  now: number,
) {
  const found = BREAKER_STATES.filter((state) => (breakers[state] ?? 0) > 0);
  const [worst = 'closed'] = found;
  const all = found.reduce((sum, state) => sum + (breakers[state] ?? 0), 0);
  const stand = found.map(
    (state) => `${state.replace('_', ' ')} in ${breakers[state] ?? 0} of ${all} processes`,
  );
  const text = `its breaker is ${found.length > 1 ? stand.join(', ') : worst.replace('_', ' ')}`;
  const openMs = (breakerAt ?? 0) + breakerMs - now;
  const one = all > 1 ? 'one call of each process' : 'one call';
  if (worst === 'open' && openMs > 0) return `${text}: ${one} tries in ${seconds(openMs)}`;
  if (worst !== 'closed') return `${text}: ${one} at a time tries, and the others are not sent`;
  return isFull
    ? `${text}, but all its slots are taken: requests wait for one, or get 503 overloaded`
    : `${text}: each request asks it`;
}

function upstreamTexts(incident: FleetIncident, source: string, facts: NextFacts, now: number) {
  const { since, calls } = incident;
  const staleMs = facts.staleMs(source);
  const tries = breakerText(incident, facts.breakerMs(source) ?? 0, facts.isFull, now);
  if (staleMs === undefined) return [tries, 'no older answers are served: cache.staleIfError is 0'];
  // A call that did not fail brought a new answer, and nobody knows which.
  if (calls.failed < calls.total) return [tries];
  return [
    tries,
    leftText('older answers are served', since + staleMs - now, 'older answers are no longer served'),
  ];
}

function redisTexts(
  { subject, since }: FleetIncident,
  { keysMs }: PatienceFacts,
  now: number,
): readonly string[] {
  const roles = subject.split('+');
  return [
    ...(roles.includes('keys')
      ? [leftText('keys that are known are served', since + keysMs - now, 'known keys are no longer served')]
      : []),
    ...(roles.includes('limits') ? ['each process counts limits alone'] : []),
    ...(roles.includes('cache') ? ['each process keeps its answers alone'] : []),
    'Redis is used again within a second once it is back',
  ];
}

/**
 * Until when the last key set of the issuer serves, and when it is asked for again. If a request has failed, some process has no
 * key set any more, even if the time is not over.
 */
function issuerTexts({ answers, since, last }: FleetIncident, facts: PatienceFacts, now: number) {
  const leftMs = since + facts.issuerMs - now;
  if (answers.failed > 0 || leftMs <= 0)
    return [
      'tokens are refused with 503 until its key set can be read',
      'the next token asks for its key set, in each process at most once a second',
    ];
  const pauseMs = Math.max(1, last + facts.issuerPauseMs - now);
  return [
    `the last key set serves for at most ${seconds(leftMs)} more; tokens of a newer key get 401`,
    `the first token after ${seconds(pauseMs)} asks for its key set again`,
  ];
}

/** Samples and files are looked at seldom. */
const QUIET_AFTER_MS: Readonly<Partial<Record<FleetIncident['kind'], number>>> = {
  config: 5_000,
  field: 5_000,
};
/** An issuer whose last key set serves is asked each 30 seconds. Once that is over, each token shows whether it is well. */
const ISSUER_QUIET_MS = 33_000;

/** Whether an open incident may be over: nothing has failed for longer than it takes until the fleet knows of a failure. */
export function isQuiet({ kind, seen, answers }: FleetIncident, now: number): boolean {
  const isAskedSeldom = kind === 'issuer' && answers.failed === 0;
  return now - seen > (isAskedSeldom ? ISSUER_QUIET_MS : (QUIET_AFTER_MS[kind] ?? 3_000));
}

/** What the gateway will do about an open incident without an operator, as sentences without a full stop; empty if it has ended. */
export function whatHappensNext(incident: FleetIncident, facts: NextFacts, now: number): readonly string[] {
  if (!incident.isOpen) return [];
  const { kind, seen } = incident;
  const over = isQuiet(incident, now)
    ? [
        `${kind === 'field' ? 'no answer has lacked it' : 'nothing has failed'} for ${seconds(now - seen)}; it ends after ${QUIET_MS / 1_000}`,
      ]
    : [];
  // What of these has not failed since then is well again.
  if (over.length > 0 && ['redis', 'keys', 'config', 'issuer'].includes(kind)) return over;
  const source = sourceOfIncident(incident) ?? '';
  switch (kind) {
    case 'source':
      // Once nothing fails any more, no older answers are served.
      return [...over, ...upstreamTexts(incident, source, facts, now).slice(0, over.length > 0 ? 1 : 2)];
    case 'route':
      return [...over, ...upstreamTexts(incident, source, facts, now).slice(0, 1)];
    case 'redis':
      return [...over, ...redisTexts(incident, facts, now)];
    case 'keys':
      return ['a key is accepted again within a second once Redis has its record'];
    case 'issuer':
      return issuerTexts(incident, facts, now);
    case 'field':
      return over.length > 0
        ? [`${over.join()}, once the values count as back`]
        : ['it ends by itself once the values are back'];
    case 'config':
      return [...over, 'the configuration before it stays in force until a reload is not refused'];
    case 'slow':
    case 'gateway':
      return [...over, `it ends by itself ${QUIET_MS / 1_000} seconds after the last one`];
  }
}
