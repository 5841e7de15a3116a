// Reads the total of a list, which is the number of its rows, from a reply.

import type { ListSpec } from '../../../config/schema/source.ts';
import { GatewayError, invalidReply } from '../../../kernel/errors/fault.ts';
import type { Json } from '../../../kernel/json/json.ts';
import { wholeNumber } from '../../../kernel/json/values.ts';
import type { UpstreamReply } from '../../../kernel/upstream-call.ts';
import type { OnMissingValue } from '../map/map-record.ts';
import { compileOneOf } from '../spec/literal.ts';
import { pathAt } from '../spec/path.ts';
import { patternAt } from '../spec/pattern.ts';
import type { SpecLocation } from '../spec/spec-location.ts';

function totalIn(value: Json | undefined, place: string): number {
  const total = wholeNumber(value);
  if (total === undefined) throw invalidReply('total', `the total ${place} is missing or not a whole number`);
  return total;
}

const pickWith = (pattern: RegExp) => (text: string) => pattern.exec(text)?.[1];

/** Compiles the reader of a total at a path or in a header. It returns `undefined` for a total that is only a lower bound. */
export function compileTotal(
  spec: ListSpec['total'],
  here: SpecLocation,
): (reply: UpstreamReply, body: Json) => number | undefined {
  if (spec === undefined) return () => undefined;
  const { header, unless } = spec;
  if ((header === undefined) === (spec.at === undefined))
    here.report('a total stands at a path or in a header', 'give it one of `at` and `header`');
  const find = pathAt(spec.at ?? '', here.at('at'));
  const pick =
    spec.pattern === undefined
      ? (text: string) => text
      : pickWith(patternAt(spec.pattern, here.at('pattern')));
  const bound =
    unless === undefined
      ? undefined
      : { find: pathAt(unless.at, here.at('unless', 'at')), fits: compileOneOf([unless.equals]) };
  return function readTotal(reply, body) {
    if (bound?.fits(bound.find(body)) === true) return undefined;
    if (header === undefined) return totalIn(find(body), `at "${spec.at ?? ''}"`);
    const text = reply.header(header.toLowerCase());
    return totalIn(text === undefined ? undefined : pick(text), `of the header ${header}`);
  };
}

/** Compiles the reader of the total in a reply with rows. An unreadable total is ignored, because the rows can be counted. */
export function compileTotalBeside({ total: spec }: ListSpec, readTotal: ReturnType<typeof compileTotal>) {
  return (reply: UpstreamReply, body: Json, onMissingValue: OnMissingValue) => {
    if (spec?.count !== undefined) return { total: undefined };
    try {
      return { total: readTotal(reply, body) };
    } catch (error) {
      if (!(error instanceof GatewayError) || error.reason !== 'total') throw error;
      onMissingValue('total', 'unreadable');
      return { total: undefined, isTotalLost: true };
    }
  };
}
