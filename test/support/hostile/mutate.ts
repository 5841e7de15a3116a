import type { RecordedExchange } from '../../../src/config/fixture/fixture-schema.ts';
import type { SourceSpec } from '../../../src/config/schema/source.ts';
import type { Random } from '../../../src/cli/demo/data/random.ts';
import type { Mutant, Mutation } from './case.ts';
import { jsonMutations, plantInTree, tailOf } from './json.ts';
import { csvMutations, plantInXml, xmlMutations } from './texts.ts';
import { type Node, readTree, writeTree } from './tree.ts';
import { byteMutations } from './bytes.ts';
import { framingMutations } from './framing.ts';

const wireMutations = Object.entries({ ...byteMutations, ...framingMutations });

/** Changes a body of one format in one way; `undefined` where it is not one. */
type Change = (text: string, random: Random, textKeys: ReadonlySet<string>) => { text: string; note: string };

function pickOf<T>(mutations: Readonly<Record<string, Mutation<T>>>, random: Random): [string, Mutation<T>] {
  return random.pick(Object.entries(mutations));
}

function changeTree(
  text: string,
  random: Random,
  textKeys: ReadonlySet<string>,
): { text: string; note: string } {
  const root: Node | undefined = readTree(text);
  if (root === undefined) return { text, note: 'json.none' };
  const [name, mutate] = pickOf(jsonMutations, random);
  return {
    text: writeTree(mutate(plantInTree(root), random, textKeys)) + tailOf(random),
    note: `json.${name}`,
  };
}

const texts =
  (format: string, mutations: Readonly<Record<string, Mutation<string>>>): Change =>
  (text, random, textKeys) => {
    const [name, mutate] = pickOf(mutations, random);
    return { text: mutate(text, random, textKeys), note: `${format}.${name}` };
  };

const changes: Readonly<Record<SourceSpec['decode']['format'], Change>> = {
  json: changeTree,
  ndjson(text, random, textKeys) {
    const lines = text.split('\n');
    const at = random.below(lines.length);
    const { text: line, note } = changeTree(lines[at] ?? '', random, textKeys);
    lines[at] = line;
    return { text: lines.join(random.pick(['\n', '\n', '\n\n', '\r\n'])), note: `nd${note}` };
  },
  xml: (text, random, textKeys) => texts('xml', xmlMutations)(plantInXml(text), random, textKeys),
  csv: texts('csv', csvMutations),
};

/** The reply as it was recorded. */
export function plainMutant({ reply }: RecordedExchange): Mutant {
  const body =
    reply.base64 === undefined ? Buffer.from(reply.body ?? '') : Buffer.from(reply.base64, 'base64');
  return { status: reply.status, headers: Object.entries(reply.headers), body, wire: {}, notes: [] };
}

/** The reply with one to three things changed: in its document, on its way, or both. */
export function mutate(
  exchange: RecordedExchange,
  spec: SourceSpec,
  textKeys: ReadonlySet<string>,
  random: Random,
): Mutant {
  const mutant = plainMutant(exchange);
  // CSV is written in a character set of its own, of which Latin-1 keeps every byte.
  const encoding = spec.decode.format === 'csv' ? 'latin1' : 'utf8';
  for (let left = random.pick([1, 1, 1, 2, 3]); left > 0; left -= 1) {
    if (random.chance(0.55) && mutant.body.length > 0) {
      const { text, note } = changes[spec.decode.format](mutant.body.toString(encoding), random, textKeys);
      mutant.body = Buffer.from(text, encoding);
      mutant.notes.push(note);
    } else {
      const [name, change] = random.pick(wireMutations);
      change(mutant, random);
      mutant.notes.push(`wire.${name}`);
    }
  }
  return mutant;
}

/** The names of everything that may become of a reply. */
export const mutationNames: readonly string[] = [
  ...Object.keys(jsonMutations).flatMap((name) => [`json.${name}`, `ndjson.${name}`]),
  ...Object.keys(xmlMutations).map((name) => `xml.${name}`),
  ...Object.keys(csvMutations).map((name) => `csv.${name}`),
  ...wireMutations.map(([name]) => `wire.${name}`),
];
