import type { ConditionSpec, SourceSpec } from '../../config/schema/source.ts';
import { GatewayError } from '../../errors/fault.ts';
import type { Json } from '../../kernel/json/json.ts';
import type { UpstreamReply } from '../../kernel/upstream-call.ts';
import { compileCondition } from './condition.ts';
import type { IdCodec } from '../map/native-id.ts';
import { type Classifier, outcomeFault } from './outcome.ts';
import type { SpecLocation } from '../spec-location.ts';

/** What the parts of a resource's adapter are compiled with. */
export type Context = {
  readonly source: SourceSpec;
  readonly decode: (reply: UpstreamReply) => Json;
  readonly classify: Classifier;
  readonly codec: IdCodec;
};

/** Decodes a reply and decides what it means; the body is there only where the outcome needs it. */
export function compileReader({ decode, classify }: Context, on: 'list' | 'get') {
  return function readReply(reply: UpstreamReply): { outcome: 'ok' | 'not_found' | 'past_end'; body: Json } {
    let body: Json | undefined;
    let unread: unknown;
    try {
      body = decode(reply);
    } catch (error) {
      unread = error;
    }
    const verdict = classify(on, reply, body);
    const outcome = verdict?.is;
    const usable =
      outcome === 'ok' ||
      (outcome === 'not_found' && on === 'get') ||
      (outcome === 'past_end' && on === 'list');
    if (usable && body !== undefined) return { outcome, body };
    if (usable && outcome !== 'ok') return { outcome, body: null };
    // A body that cannot be read says more than "no rule fits".
    if (unread instanceof GatewayError && (outcome === 'ok' || (outcome === undefined && reply.status < 400)))
      throw unread;
    throw outcomeFault(verdict, reply);
  };
}

/** Whether a row is no record; `undefined` where the source has only records. */
export function compileDrop(
  specs: readonly ConditionSpec[],
  here: SpecLocation,
): ((row: Json) => boolean) | undefined {
  if (specs.length === 0) return undefined;
  const conditions = specs.map((spec, index) => compileCondition(spec, here.at(index)));
  return (row) => conditions.some((fits) => fits?.(row) === true);
}
