// Decodes a reply and decides whether it can be used. The general readers of lists and records, which read what no program of
// `row-program` can, begin with it.

import type { ConditionSpec, SourceSpec } from '../../../config/schema/source.ts';
import { GatewayError } from '../../../kernel/errors/fault.ts';
import type { Json } from '../../../kernel/json/json.ts';
import type { UpstreamReply } from '../../../kernel/upstream-call.ts';
import { compileCondition } from './condition.ts';
import type { IdCodec } from '../map/native-id.ts';
import { type Classifier, outcomeFault } from './outcome.ts';
import type { RuleObserver } from '../map/reply-observer.ts';
import type { SpecLocation } from '../spec/spec-location.ts';

/** What the readers of one resource share: the source file, and what was compiled from it. */
export type ReplyContext = {
  readonly source: SourceSpec;
  readonly decode: (reply: UpstreamReply) => Json;
  readonly classify: Classifier;
  readonly codec: IdCodec;
};

/**
 * Compiles a reader that decodes a reply and finds its outcome. Only `ok` needs a body. It throws a GatewayError for failures.
 */
export function compileReader({ decode, classify }: ReplyContext, on: 'list' | 'get') {
  return function readReply(
    reply: UpstreamReply,
    { onRule }: RuleObserver,
  ): { outcome: 'ok' | 'not_found' | 'past_end'; body: Json } {
    let body: Json | undefined;
    let unread: unknown;
    try {
      body = decode(reply);
    } catch (error) {
      unread = error;
    }
    const rule = classify(on, reply, body);
    onRule(rule?.rule);
    const outcome = rule?.is;
    const usable =
      outcome === 'ok' ||
      (outcome === 'not_found' && on === 'get') ||
      (outcome === 'past_end' && on === 'list');
    if (usable && body !== undefined) return { outcome, body };
    if (usable && outcome !== 'ok') return { outcome, body: null };
    // The reason why a body is unreadable helps more than "no rule matches".
    if (unread instanceof GatewayError && (outcome === 'ok' || (outcome === undefined && reply.status < 400)))
      throw unread;
    throw outcomeFault(rule, reply);
  };
}

/** Compiles the test for rows that are dropped because they are no records; `undefined` if the file names no such rows. */
export function compileDrop(
  specs: readonly ConditionSpec[],
  here: SpecLocation,
): ((row: Json) => boolean) | undefined {
  if (specs.length === 0) return undefined;
  const conditions = specs.map((spec, index) => compileCondition(spec, here.at(index)));
  return (row) => conditions.some((fits) => fits?.(row) === true);
}
