// Finds out what a reply means, by the response rules of the source file, and which error a failure is.

import type { OutcomeKind, OutcomeSpec, SourceSpec } from '../../../config/schema/source.ts';
import {
  fault,
  type GatewayError,
  invalidReply,
  refusedCredential,
  type SourceHealth,
} from '../../../kernel/errors/fault.ts';
import type { Json } from '../../../kernel/json/json.ts';
import type { UpstreamReply } from '../../../kernel/upstream-call.ts';
import { compileCondition } from './condition.ts';
import type { SpecLocation } from '../spec/spec-location.ts';
import { retryAfter } from './retry-after.ts';

/** The outcome of a reply (`is`), and where the reply says when the source will answer again (`resetAt`). */
export type Outcome = Pick<OutcomeSpec, 'is' | 'resetAt'> & {
  /** The reply would be good, but does not show that the source knows the credential. */
  readonly lacksProof?: boolean;
};

/** Decides the outcome of a reply, by the rule with this index; `undefined` if no rule matches. */
export type Classifier = (
  on: 'list' | 'get',
  reply: UpstreamReply,
  body: Json | undefined,
) => (Outcome & { readonly rule: number }) | undefined;

/** A response rule as it is counted: its place in the source file, and what a reply means by this rule. */
export type CountedRule = { readonly rule: string; readonly is: OutcomeKind | 'by_status' };

/** The response rules of a source in the order of its file. The last entry counts replies that no rule matches. */
export function countedRules({ outcomes }: Pick<SourceSpec, 'outcomes'>): readonly CountedRule[] {
  const rules = outcomes.map(({ is }, index) => ({ rule: `outcomes[${index}]`, is }));
  return [...rules, { rule: 'none', is: 'by_status' }];
}

type Rule = (on: 'list' | 'get', reply: UpstreamReply, body: Json | undefined) => boolean;

function statusFits(wanted: OutcomeSpec['status'], status: number): boolean {
  if (wanted === undefined) return true;
  return typeof wanted === 'number' ? status === wanted : Math.floor(status / 100) === Number(wanted[0]);
}

/**
 * Compiles the ordered response rules of a source to a function that finds the index of the first rule that matches a reply;
 * `undefined` if none does.
 */
export function compileRules(specs: readonly OutcomeSpec[], here: SpecLocation) {
  const rules = specs.map((spec, index): Rule => {
    const bodyFits = compileCondition(spec, here.at(index)) ?? (() => true);
    return (on, reply, body) =>
      (spec.on === undefined || spec.on === on) && statusFits(spec.status, reply.status) && bodyFits(body);
  });
  return (on: 'list' | 'get', reply: UpstreamReply, body: Json | undefined) => {
    const found = rules.findIndex((fits) => fits(on, reply, body));
    return found === -1 ? undefined : found;
  };
}

/** Compiles the ordered response rules of a source to a classifier of replies; the first rule that matches decides. */
export function compileOutcomes(specs: readonly OutcomeSpec[], here: SpecLocation): Classifier {
  const findRule = compileRules(specs, here);
  specs.forEach(({ is, resetAt }, index) => {
    if (resetAt !== undefined && is !== 'rate_limited' && is !== 'unavailable')
      here
        .at(index, 'resetAt')
        .report(
          `only rate_limited and unavailable have a time to wait for, not ${is}`,
          'is: rate_limited or unavailable',
        );
  });
  const outcomes = specs.map(({ is, resetAt }, rule) => ({ is, resetAt, rule }));
  return (on, reply, body) => {
    const rule = findRule(on, reply, body);
    return rule === undefined ? undefined : outcomes[rule];
  };
}

/** Outcomes by status if no rule matches, because these statuses mean the same for every source. */
const BY_STATUS: ReadonlyMap<number, OutcomeKind> = new Map([
  [401, 'unauthorized'],
  [403, 'unauthorized'],
  [429, 'rate_limited'],
]);

/** The `Retry-After` for clients if the source does not say when it will answer again. */
const RETRY_AFTER_DEFAULT_SECONDS = 5;
/** The pause after a "too many requests" that names no duration. */
const LIMITED_SECONDS = 1;
/** Statuses of a proxy that could not reach the source, or of a source that was not ready. A retry may succeed. */
const RETRYABLE_STATUSES = new Set([502, 503, 504]);

/** What a failure says about the health of the source. */
function failureHealth(reply: UpstreamReply, pauseSeconds: number | undefined): SourceHealth {
  if (pauseSeconds !== undefined) return { hasReplied: true, pauseSeconds };
  return { hasReplied: true, ...(RETRYABLE_STATUSES.has(reply.status) && { isRetryable: true }) };
}

/** The error for a reply that is no success. `rule`: the outcome that the response rules found; `undefined`: no rule matched. */
export function outcomeFault(rule: Outcome | undefined, reply: UpstreamReply): GatewayError {
  const status = `HTTP ${reply.status}`;
  const outcome = rule?.is ?? BY_STATUS.get(reply.status);
  switch (outcome) {
    case 'unauthorized':
      return refusedCredential(
        rule?.lacksProof === true
          ? `the source took Portico for a visitor: the reply lacks auth.proof (${status})`
          : `the source refused Portico's credential (${status})`,
      );
    case 'rate_limited': {
      const waitSeconds = retryAfter(reply, rule?.resetAt);
      return fault('upstream_unavailable', {
        detail: `the source limits Portico (${status})`,
        retryAfterSeconds: waitSeconds ?? RETRY_AFTER_DEFAULT_SECONDS,
        sourceHealth: { isHealthy: true, pauseSeconds: waitSeconds ?? LIMITED_SECONDS },
      });
    }
    case 'unavailable': {
      const waitSeconds = retryAfter(reply, rule?.resetAt);
      return fault('upstream_unavailable', {
        detail: `the source says it is unavailable (${status})`,
        retryAfterSeconds: waitSeconds ?? RETRY_AFTER_DEFAULT_SECONDS,
        sourceHealth: failureHealth(reply, waitSeconds),
      });
    }
    case 'client_bug':
      return fault('upstream_error', {
        detail: `the source did not understand the request its configuration makes (${status})`,
        sourceHealth: { isHealthy: true },
      });
    case 'error':
      return fault('upstream_error', {
        detail: `the source failed (${status})`,
        sourceHealth: failureHealth(reply, undefined),
      });
    case 'ok':
    case 'not_found':
    case 'past_end':
      return invalidReply('outcome', `the reply means ${outcome}, which makes no sense here (${status})`);
    case undefined: {
      const detail = `no outcome rule fits the reply (${status})`;
      if (reply.status < 500) return invalidReply('outcome', detail);
      const waitSeconds = retryAfter(reply, undefined);
      const sourceHealth = failureHealth(reply, waitSeconds);
      // With `Retry-After`, the source says that it is unavailable.
      return waitSeconds === undefined
        ? fault('upstream_error', { detail, sourceHealth })
        : fault('upstream_unavailable', { detail, sourceHealth, retryAfterSeconds: waitSeconds });
    }
  }
}
