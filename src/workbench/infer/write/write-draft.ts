// Writes a draft of `infer` as YAML with its notes as comments, in the style of the examples.

import {
  Document,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { wrapWords } from '../../../kernel/wrap-words.ts';
import type { DraftNote } from '../notes/note.ts';

/** A draft before it is written: plain values, with notes on them. */
export type Draft = {
  readonly content: Readonly<Record<string, unknown>>;
  readonly notes: readonly DraftNote[];
  /** The comment at the top of the file, with the notes that need the operator. */
  readonly head: (edits: readonly DraftNote[]) => readonly string[];
};

/** In characters: of a line, of a note, and of a map or list in one line. */
const WIDTH = 110;
const NOTE_MAX = 600;
const FLOW_MAX = 100;
const LEVELS = { sure: 'sure', likely: 'likely', edit: 'EDIT' } as const;
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu;

/** Makes a text one line: text after a line break would no longer be a comment. */
function oneLine(text: string): string {
  const line = text.replaceAll(UNPRINTABLE, ' ').trim();
  return line.length > NOTE_MAX ? `${line.slice(0, NOTE_MAX)}…` : line;
}

const wrap = (text: string, width: number) => wrapWords(oneLine(text), width);

/** Comment lines in the form of the YAML library: without the `#`. */
function commentOf(lines: readonly string[]): string {
  return lines.map((line) => (line === '' ? '' : ` ${line}`)).join('\n');
}

/** Sections that always take several lines. */
const BLOCKS = new Set(['net', 'auth', 'resources', 'list', 'get', 'map', 'outcomes', 'filters']);

/** Writes `{ a: b }` and `[a, b]` as the examples do. The library can pad both or none. */
function padAsUsual(node: YAMLMap | YAMLSeq): void {
  const write = node.toString.bind(node);
  node.toString = (context, ...rest) =>
    write(context && { ...context, flowCollectionPadding: isMap(node) ? ' ' : '' }, ...rest);
}

/** Marks short maps and lists to be written in one line, as in the examples. */
function setFlow(node: unknown, key: string, hasNotes: (node: unknown) => boolean): void {
  if (isScalar(node) && typeof node.value === 'string' && node.value.length > FLOW_MAX)
    node.type = 'BLOCK_FOLDED';
  if (!isMap(node) && !isSeq(node)) return;
  const short = JSON.stringify(node.toJSON()).length <= FLOW_MAX;
  const isResource = isMap(node) && node.has('list');
  node.flow = !BLOCKS.has(key) && !isResource && short && !hasNotes(node);
  for (const item of node.items) {
    if (isPair(item)) setFlow(item.value, String(item.key), hasNotes);
    else setFlow(item, '', hasNotes);
  }
}

/** The keys of a list in the order in which they are written. */
const LIST_KEYS = 'request window total items itemsAbsent dropWhen order sort filterJoin filters map'.split(
  ' ',
);

/** The pair above which a missing key of a list would be written. */
function pairBehind({ items }: YAMLMap, key: string): Pair | undefined {
  const index = LIST_KEYS.indexOf(key);
  const behind = index === -1 ? [] : LIST_KEYS.slice(index + 1);
  return items.find((item) => behind.includes(String(item.key)));
}

/** The pair at a place. If it is missing: the pair that would follow it in a list, or else the nearest one around it. */
function pairAt(document: Document, at: readonly PropertyKey[]): Pair | undefined {
  let found: Pair | undefined;
  let node: unknown = document.contents;
  for (const key of at) {
    if (isMap(node)) {
      const pair: Pair | undefined = node.items.find((item) => String(item.key) === String(key));
      if (pair === undefined)
        return (String(found?.key) === 'list' && pairBehind(node, String(key))) || found;
      found = pair;
      node = pair.value;
    } else if (isSeq(node)) node = node.items[Number(key)];
    else break;
  }
  return found;
}

function addComment(pair: Pair, lines: readonly string[]): void {
  const key = pair.key as Node | null;
  if (!isScalar(key)) return;
  const before = typeof key.commentBefore !== 'string' ? '' : `${key.commentBefore}\n`;
  key.commentBefore = before + commentOf(lines);
}

/** The text of a draft. The YAML library writes the values, so a value cannot inject YAML. */
export function writeDraft({ content, notes, head }: Draft): string {
  const document = new Document(content, { version: '1.2', aliasDuplicateObjects: false });
  const noted = new Map<Pair, DraftNote[]>();
  for (const note of notes) {
    const pair = pairAt(document, note.at);
    if (pair !== undefined) noted.set(pair, [...(noted.get(pair) ?? []), note]);
  }
  const holdsNote = (node: unknown): boolean => {
    if (isSeq(node)) return node.items.some(holdsNote);
    return isMap(node) && node.items.some((pair) => noted.has(pair) || holdsNote(pair.value));
  };
  setFlow(document.contents, '', holdsNote);
  for (const [pair, said] of noted) {
    for (const { at, level, text } of said)
      addComment(pair, wrap(`${LEVELS[level]}: ${text}`, Math.max(50, WIDTH - 2 * at.length - 2)));
  }
  if (isMap(document.contents)) {
    for (const { key } of document.contents.items) {
      if (isScalar(key) && !['source', 'name'].includes(String(key.value))) key.spaceBefore = true;
    }
  }
  const top = [
    'yaml-language-server: $schema=../source.schema.json',
    '',
    ...head(notes.filter(({ level }) => level === 'edit')).flatMap((line) => wrap(line, WIDTH)),
  ];
  const comment = top.map((line) => `# ${line}`.trimEnd()).join('\n');
  return `${comment}\n${sourceFileText(document)}`;
}

/** The text of a source file as the examples are written. */
export function sourceFileText(document: Document): string {
  visit(document, { Collection: (_key, node) => padAsUsual(node) });
  return document.toString({ singleQuote: true, lineWidth: WIDTH, flowCollectionPadding: true });
}
