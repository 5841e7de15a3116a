import type { OutcomeKind, OutcomeSpec } from '../config/source-schema.ts';
import { fault, type GatewayError } from '../errors/fault.ts';
import type { Json } from '../kernel/json.ts';
import type { UpstreamReply } from './decode.ts';
import { compileOneOf } from './literal.ts';
import { compilePath, PathError } from './path.ts';
import type { Report } from './report.ts';

/** What a reply means, or `undefined` where no rule fits it. */
export type Classifier = (
  on: 'list' | 'get',
  reply: UpstreamReply,
  body: Json | undefined,
) => OutcomeKind | undefined;

type Rule = {
  fits(on: 'list' | 'get', reply: UpstreamReply, body: Json | undefined): boolean;
  readonly is: OutcomeKind;
};

function statusFits(wanted: OutcomeSpec['status'], status: number): boolean {
  if (wanted === undefined) return true;
  return typeof wanted === 'number' ? status === wanted : Math.floor(status / 100) === Number(wanted[0]);
}

function compileBodyTest(
  spec: OutcomeSpec,
  report: Report,
  at: readonly PropertyKey[],
): (body: Json | undefined) => boolean {
  if (spec.at === undefined || spec.equals === undefined) {
    if (spec.at !== spec.equals) report(at, '`at` and `equals` belong together', 'at: rc, equals: 0');
    return () => true;
  }
  const isWanted = compileOneOf(Array.isArray(spec.equals) ? spec.equals : [spec.equals]);
  try {
    const find = compilePath(spec.at);
    return (body) => body !== undefined && isWanted(find(body));
  } catch (error) {
    if (!(error instanceof PathError)) throw error;
    report([...at, 'at'], error.message);
    return () => false;
  }
}

/** Compiles the ordered outcome rules of a source; the first that fits decides. */
export function compileOutcomes(specs: readonly OutcomeSpec[], report: Report): Classifier {
  const rules = specs.map((spec, index): Rule => {
    const bodyFits = compileBodyTest(spec, report, ['outcomes', index]);
    return {
      fits: (on, reply, body) =>
        (spec.on === undefined || spec.on === on) && statusFits(spec.status, reply.status) && bodyFits(body),
      is: spec.is,
    };
  });
  return (on, reply, body) => rules.find((rule) => rule.fits(on, reply, body))?.is;
}

/** Seconds of a `Retry-After` header, if it is a sane whole number. */
function retryAfter(reply: UpstreamReply): number {
  const seconds = Number(reply.header('retry-after'));
  return Number.isInteger(seconds) && seconds >= 1 ? Math.min(seconds, 300) : 5;
}

/** The fault that an outcome other than a usable one is for the client. */
export function outcomeFault(outcome: OutcomeKind | undefined, reply: UpstreamReply): GatewayError {
  const status = `HTTP ${reply.status}`;
  switch (outcome) {
    case 'unauthorized':
      return fault('upstream_error', { detail: `the source refused Portico's credential (${status})` });
    case 'rate_limited':
      return fault('upstream_unavailable', {
        detail: `the source limits Portico (${status})`,
        retryAfterSeconds: retryAfter(reply),
      });
    case 'unavailable':
      return fault('upstream_unavailable', {
        detail: `the source says it is unavailable (${status})`,
        retryAfterSeconds: retryAfter(reply),
      });
    case 'client_bug':
      return fault('upstream_error', {
        detail: `the source did not understand the request its configuration makes (${status})`,
      });
    case 'error':
      return fault('upstream_error', { detail: `the source failed (${status})` });
    case 'ok':
    case 'not_found':
    case 'past_end':
      return fault('upstream_invalid_response', {
        detail: `the reply means ${outcome}, which makes no sense here (${status})`,
      });
    case undefined:
      return fault(reply.status >= 500 ? 'upstream_error' : 'upstream_invalid_response', {
        detail: `no outcome rule fits the reply (${status})`,
      });
  }
}
