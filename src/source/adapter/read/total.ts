import type { ListSpec } from '../../../config/schema/source.ts';
import { invalidReply } from '../../../kernel/errors/fault.ts';
import type { Json } from '../../../kernel/json/json.ts';
import type { UpstreamReply } from '../../../kernel/upstream-call.ts';
import { compileOneOf } from '../spec/literal.ts';
import { pathAt } from '../spec/path.ts';
import { patternAt } from '../spec/pattern.ts';
import type { SpecLocation } from '../spec/spec-location.ts';

/** Reads the number of matching rows; `undefined` if the reply marks it as a lower bound. */
export type TotalReader = (reply: UpstreamReply, body: Json) => number | undefined;

function wholeNumber(value: Json | undefined, place: string): number {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  const total = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
  if (Number.isNaN(total)) throw invalidReply('total', `the total ${place} is missing or not a whole number`);
  return total;
}

const pickWith = (pattern: RegExp) => (text: string) => pattern.exec(text)?.[1];

/** Compiles the reader of a total, from a path or a header. */
export function compileTotal(spec: ListSpec['total'], here: SpecLocation): TotalReader {
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
    if (header === undefined) return wholeNumber(find(body), `at "${spec.at ?? ''}"`);
    const text = reply.header(header.toLowerCase());
    return wholeNumber(text === undefined ? undefined : pick(text), `of the header ${header}`);
  };
}
