import { type Json, NumberText, readJson } from '../../../src/kernel/json/json.ts';

/** JSON as it is about to be written, so that it may also be what no JSON writer would write. */
export type Node = null | boolean | string | number | Raw | Node[] | Members;

/** Bytes of a document that are written as they are. */
export class Raw {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** An object whose keys may repeat and may be called `__proto__`. */
export class Members {
  readonly entries: [string, Node][];

  constructor(entries: [string, Node][]) {
    this.entries = entries;
  }
}

/** A place of a document that can be changed. */
export type Site = {
  /** The keys on the way, items of lists left out. */
  readonly keys: readonly string[];
  readonly value: Node;
  put(value: Node): void;
  drop(): void;
};

function toNode(value: Json): Node {
  if (value instanceof NumberText) return new Raw(value.text);
  if (Array.isArray(value)) return (value as readonly Json[]).map(toNode);
  if (typeof value !== 'object' || value === null) return value;
  return new Members(Object.entries(value).map(([key, item]) => [key, toNode(item)]));
}

/** Reads a document; `undefined` for what is no JSON. */
export function readTree(text: string): Node | undefined {
  try {
    return toNode(readJson(text));
  } catch {
    return undefined;
  }
}

/** Writes a tree. */
export function writeTree(node: Node): string {
  if (node instanceof Raw) return node.text;
  if (Array.isArray(node)) return `[${node.map(writeTree).join(',')}]`;
  if (node instanceof Members) {
    return `{${node.entries.map(([key, value]) => `${JSON.stringify(key)}:${writeTree(value)}`).join(',')}}`;
  }
  return JSON.stringify(node);
}

/** A copy that can be changed on its own. */
export function copyTree(node: Node): Node {
  if (Array.isArray(node)) return node.map(copyTree);
  if (node instanceof Members) return new Members(node.entries.map(([key, value]) => [key, copyTree(value)]));
  return node;
}

/** Every place below the root. */
export function sitesOf(node: Node, keys: readonly string[] = []): readonly Site[] {
  if (Array.isArray(node)) {
    return node.flatMap((value, index) => [
      { keys, value, put: (other) => (node[index] = other), drop: () => void node.splice(index, 1) },
      ...sitesOf(value, keys),
    ]);
  }
  if (!(node instanceof Members)) return [];
  return node.entries.flatMap((entry) => {
    const [key, value] = entry;
    const below = [...keys, key];
    const drop = () => void node.entries.splice(node.entries.indexOf(entry), 1);
    return [{ keys: below, value, put: (other: Node) => (entry[1] = other), drop }, ...sitesOf(value, below)];
  });
}

/** Every list and every object of a document, the root included. */
export function containersOf(node: Node): readonly (Node[] | Members)[] {
  const all = [node, ...sitesOf(node).map(({ value }) => value)];
  return all.filter((one): one is Node[] | Members => Array.isArray(one) || one instanceof Members);
}
