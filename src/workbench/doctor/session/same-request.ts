// Compares a recorded request with one that is made now, however each is encoded, so that a replay finds its reply.

import type { RecordedExchange } from '../../../config/fixture/fixture-schema.ts';
import { type Json, readJson } from '../../../kernel/json/json.ts';
import { percentDecoded } from '../../../kernel/percent-decoded.ts';
import type { UpstreamRequest } from '../../../kernel/upstream-call.ts';
import { differences } from './compare-json.ts';

const decoded = (text: string) => percentDecoded(text) ?? text;

/** The parts of a target, decoded, so that a recorded one may be written without percent-encoding. */
function partsOf(target: string): readonly string[] {
  const [path = '', ...query] = target.split('?');
  const pairs = query.join('?').split('&');
  return [
    ...path.split('/').map(decoded),
    '?',
    ...pairs.flatMap((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [decoded(name), '=', decoded(value.join('='))];
    }),
  ];
}

function isSameTarget(recorded: string, asked: string): boolean {
  const [left, right] = [partsOf(recorded), partsOf(asked)];
  return left.length === right.length && left.every((part, index) => part === right[index]);
}

function jsonOf(text: string): Json | undefined {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

function isSameBody(recorded: string | undefined, asked: string | undefined): boolean {
  if (recorded === undefined || asked === undefined || recorded === asked) return recorded === asked;
  const [left, right] = [jsonOf(recorded), jsonOf(asked)];
  return left !== undefined && right !== undefined && differences(left, right).length === 0;
}

/** Whether a source is asked what was recorded. Headers that were not recorded are not compared. */
export function isSameRequest(recorded: RecordedExchange['request'], asked: UpstreamRequest): boolean {
  return (
    recorded.method === asked.method &&
    isSameTarget(recorded.target, asked.target) &&
    isSameBody(recorded.body, asked.body?.text) &&
    Object.entries(recorded.headers).every(([name, value]) => asked.headers[name] === value)
  );
}
