import type { OutcomeKind, OutcomeSpec } from '../../config/schema/source.ts';
import { fault, type GatewayError, invalidReply, type SourceSign } from '../../errors/fault.ts';
import type { Json } from '../../kernel/json/json.ts';
import type { UpstreamReply } from '../../kernel/upstream-call.ts';
import { compileCondition } from './condition.ts';
import type { SpecLocation } from '../spec-location.ts';
import { retryAfter } from './retry-after.ts';

/** What a reply means, and where it says when the source will answer again. */
export type Verdict = Pick<OutcomeSpec, 'is' | 'resetAt'>;

/** What a reply means, or `undefined` where no rule fits it. */
export type Classifier = (
  on: 'list' | 'get',
  reply: UpstreamReply,
  body: Json | undefined,
) => Verdict | undefined;

type Rule = (on: 'list' | 'get', reply: UpstreamReply, body: Json | undefined) => boolean;

function statusFits(wanted: OutcomeSpec['status'], status: number): boolean {
  if (wanted === undefined) return true;
  return typeof wanted === 'number' ? status === wanted : Math.floor(status / 100) === Number(wanted[0]);
}

/** The number of the first rule, from 0, that fits a reply; `undefined` where none does. */
export type RuleFinder = (
  on: 'list' | 'get',
  reply: UpstreamReply,
  body: Json | undefined,
) => number | undefined;

/** Compiles the ordered outcome rules of a source to the question which of them decides. */
export function compileRules(specs: readonly OutcomeSpec[], here: SpecLocation): RuleFinder {
  const rules = specs.map((spec, index): Rule => {
    const bodyFits = compileCondition(spec, here.at(index)) ?? (() => true);
    return (on, reply, body) =>
      (spec.on === undefined || spec.on === on) && statusFits(spec.status, reply.status) && bodyFits(body);
  });
  return (on, reply, body) => {
    const found = rules.findIndex((fits) => fits(on, reply, body));
    return found === -1 ? undefined : found;
  };
}

/** Compiles the ordered outcome rules of a source; the first that fits decides. */
export function compileOutcomes(specs: readonly OutcomeSpec[], here: SpecLocation): Classifier {
  const findRule = compileRules(specs, here);
  specs.forEach(({ is, resetAt }, index) => {
    if (resetAt !== undefined && is !== 'rate_limited' && is !== 'unavailable')
      here.at(index, 'resetAt').report(`nobody waits for ${is}`, 'is: rate_limited or unavailable');
  });
  return (on, reply, body) => {
    const rule = findRule(on, reply, body);
    return rule === undefined ? undefined : specs[rule];
  };
}

/** What HTTP itself says a reply means that no rule fits: limits and credentials mean the same everywhere. */
const BY_STATUS: ReadonlyMap<number, OutcomeKind> = new Map([
  [401, 'unauthorized'],
  [403, 'unauthorized'],
  [429, 'rate_limited'],
]);

/** What is said to a client where the source does not say when it will answer again. */
const UNTOLD_SECONDS = 5;
/** A source that says only that it was asked too often is left alone for so long. */
const LIMITED_SECONDS = 1;
/** A gateway before the source could not reach it, or it was not ready: the next moment may be better. */
const PASSING = new Set([502, 503, 504]);

/** What a failure of the source itself shows of it. */
function failureSign(reply: UpstreamReply, pauseSeconds: number | undefined): SourceSign | undefined {
  if (pauseSeconds !== undefined) return { pauseSeconds };
  return PASSING.has(reply.status) ? { isRepeatable: true } : undefined;
}

/** The fault that an outcome other than a usable one is for the client. */
export function outcomeFault(verdict: Verdict | undefined, reply: UpstreamReply): GatewayError {
  const status = `HTTP ${reply.status}`;
  const outcome = verdict?.is ?? BY_STATUS.get(reply.status);
  switch (outcome) {
    case 'unauthorized':
      return fault('upstream_error', {
        detail: `the source refused Portico's credential (${status})`,
        credentialRefused: true,
        sign: { isWell: true },
      });
    case 'rate_limited': {
      const told = retryAfter(reply, verdict?.resetAt);
      return fault('upstream_unavailable', {
        detail: `the source limits Portico (${status})`,
        retryAfterSeconds: told ?? UNTOLD_SECONDS,
        sign: { isWell: true, pauseSeconds: told ?? LIMITED_SECONDS },
      });
    }
    case 'unavailable': {
      const told = retryAfter(reply, verdict?.resetAt);
      return fault('upstream_unavailable', {
        detail: `the source says it is unavailable (${status})`,
        retryAfterSeconds: told ?? UNTOLD_SECONDS,
        sign: failureSign(reply, told),
      });
    }
    case 'client_bug':
      return fault('upstream_error', {
        detail: `the source did not understand the request its configuration makes (${status})`,
        sign: { isWell: true },
      });
    case 'error':
      return fault('upstream_error', {
        detail: `the source failed (${status})`,
        sign: failureSign(reply, undefined),
      });
    case 'ok':
    case 'not_found':
    case 'past_end':
      return invalidReply('outcome', `the reply means ${outcome}, which makes no sense here (${status})`);
    case undefined: {
      const detail = `no outcome rule fits the reply (${status})`;
      if (reply.status < 500) return invalidReply('outcome', detail);
      const told = retryAfter(reply, undefined);
      const sign = failureSign(reply, told);
      // A header says it as well as a rule would.
      return told === undefined
        ? fault('upstream_error', { detail, sign })
        : fault('upstream_unavailable', { detail, sign, retryAfterSeconds: told });
    }
  }
}
