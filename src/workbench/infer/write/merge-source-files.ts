// Adds a draft to a source file that exists, for `infer --into`.

import { isMap, isScalar, isSeq, type Node, type Pair, parseDocument, type YAMLMap } from 'yaml';
import { parseDuration } from '../../../kernel/duration.ts';
import { InferError } from '../notes/note.ts';
import { sourceFileText } from './write-draft.ts';

type Mapping = YAMLMap<Node, Node | null>;

const keyOf = ({ key }: Pair): string => String(key);

/** The value of a key of a mapping that is a mapping itself. */
function mapAt(map: Mapping, key: string): Mapping | undefined {
  const node = map.get(key, true);
  return isMap(node) ? (node as Mapping) : undefined;
}

const jsonOf = (node: unknown): string =>
  JSON.stringify((node as { toJSON?: () => unknown } | undefined)?.toJSON?.());

/**
 * Adds the rules that only one of two tables has. Both orders stay, because the first rule that fits decides. So a rule goes
 * behind the rule that precedes it in its own table.
 */
function mergeRules(rules: Node[], added: readonly Node[]): void {
  let place = 0;
  for (const rule of added) {
    const known = rules.findIndex((other) => jsonOf(other) === jsonOf(rule));
    if (known >= 0) place = Math.max(place, known + 1);
    else {
      rules.splice(place, 0, rule);
      place += 1;
    }
  }
}

/** Raises numbers and durations of a section to those of the draft, if they are larger there. */
function raise(into: Mapping | undefined, from: Mapping | undefined, keys: readonly string[]): void {
  for (const key of keys) {
    const [here, there] = [into?.get(key, true), from?.get(key, true)];
    if (!isScalar(here) || !isScalar(there)) continue;
    const amount = (value: unknown) =>
      typeof value === 'number' ? value : (parseDuration(String(value)) ?? Infinity);
    if (amount(there.value) > amount(here.value)) here.value = there.value;
  }
}

/** The text of the comment at the head of a draft. The YAML library keeps it with the first key. */
function headOf({ items }: Mapping, known: string): string {
  const lines = (items[0]?.key.commentBefore ?? '').split('\n');
  const start = lines.findIndex((line) => line.trim() !== '' && !line.includes('yaml-language-server'));
  // The pitfalls of a dialect are written only once.
  return lines
    .slice(Math.max(0, start))
    .filter((line) => !line.startsWith(' -') || !known.includes(line))
    .join('\n');
}

function contentsOf(
  text: string,
  file: string,
): { document: ReturnType<typeof parseDocument>; map: Mapping } {
  const document = parseDocument(text);
  if (document.errors.length > 0 || !isMap(document.contents))
    throw new InferError(`${file} is not a source file`, 'look at it with portico check --source');
  return { document, map: document.contents };
}

/**
 * Adds the resources of a draft to the text of a source file. Its comments and all that it says stay; outcomes that
 * only the draft has are added, and its budget grows to what the draft needs. @throws InferError if the file has
 * such a resource already, or reads replies in another way.
 */
export function mergeSourceFiles(
  into: { readonly file: string; readonly text: string },
  draft: string,
): string {
  const { document, map } = contentsOf(into.text, into.file);
  const { map: added } = contentsOf(draft, 'the draft');
  const resources = mapAt(map, 'resources');
  if (resources === undefined) throw new InferError(`${into.file} has no resources`);
  // Each resource of XML names its own lists.
  const readingOf = (one: Mapping) => ({ ...(mapAt(one, 'decode')?.toJSON() as object), arrays: undefined });
  if (JSON.stringify(readingOf(map)) !== JSON.stringify(readingOf(added)))
    throw new InferError(
      `the replies of the lists are read in different ways (${into.file}: decode)`,
      'a source has one decode: draft a file of its own by portico infer with another --name',
    );
  const head = headOf(added, into.text);
  for (const [index, pair] of (mapAt(added, 'resources')?.items ?? []).entries()) {
    if (resources.has(keyOf(pair)))
      throw new InferError(
        `${into.file} has ${keyOf(pair)} already`,
        'take it out of the file, or write a file of its own with --name',
      );
    pair.key.spaceBefore = true;
    if (index === 0)
      pair.key.commentBefore = [head, pair.key.commentBefore].filter((text) => text).join('\n\n');
    resources.items.push(pair);
  }
  resources.flow = false;
  for (const path of [['outcomes'], ['decode', 'arrays']]) {
    const [rules, more] = [map.getIn(path, true), added.getIn(path, true)];
    if (isSeq(rules) && isSeq(more)) mergeRules(rules.items as Node[], more.items as Node[]);
  }
  raise(mapAt(map, 'budget'), mapAt(added, 'budget'), ['rows', 'calls', 'time']);
  raise(mapAt(map, 'net'), mapAt(added, 'net'), ['timeout']);
  return sourceFileText(document);
}
