import type { RecordedExchange } from '../../config/fixture/fixture-schema.ts';
import { type Json, readJson } from '../../kernel/json/json.ts';
import type { UpstreamRequest } from '../../kernel/upstream-call.ts';
import { differences } from '../compare-json.ts';

/** What recorded values have become since. */
type Became = ReadonlyMap<string, string>;

const UNCHANGED: Became = new Map();

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The parts of a target, decoded, so that a recorded one can be written to be read. */
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

/** Whether a text is the recorded one, or what that has become, as a whole or in one place. */
function isSameText(recorded: string, asked: string, became: Became): boolean {
  if (recorded === asked || became.get(recorded) === asked) return true;
  return [...became].some(
    ([before, after]) => recorded.includes(before) && recorded.replaceAll(before, after) === asked,
  );
}

function isSameTarget(recorded: string, asked: string, became: Became): boolean {
  const [left, right] = [partsOf(recorded), partsOf(asked)];
  return (
    left.length === right.length && left.every((part, index) => isSameText(part, right[index] ?? '', became))
  );
}

function jsonOf(text: string): Json | undefined {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

/** The value of a JSON text, or the text itself where it is no text of its own. */
function plain(json: string): string {
  return json.startsWith('"') ? (JSON.parse(json) as string) : json;
}

function isSameBody(recorded: string | undefined, asked: string | undefined, became: Became): boolean {
  if (recorded === undefined || asked === undefined) return recorded === asked;
  if (isSameText(recorded, asked, became)) return true;
  const [left, right] = [jsonOf(recorded), jsonOf(asked)];
  if (left === undefined || right === undefined) return false;
  return differences(left, right).every(
    ({ expected, actual }) =>
      expected !== undefined && actual !== undefined && isSameText(plain(expected), plain(actual), became),
  );
}

/** Whether a source is asked what was recorded, but for values that have become others. */
export function isSameRequest(
  recorded: RecordedExchange['request'],
  asked: UpstreamRequest,
  became: Became = UNCHANGED,
): boolean {
  return (
    recorded.method === asked.method &&
    isSameTarget(recorded.target, asked.target, became) &&
    isSameBody(recorded.body, asked.body?.text, became) &&
    Object.entries(recorded.headers).every(([name, value]) => asked.headers[name] === value)
  );
}
