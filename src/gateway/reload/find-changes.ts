// Finds the differences between two configurations, to show operators what a reload changes. It never shows a text.

import { isDeepStrictEqual } from 'node:util';
import { Secret } from '../../kernel/secret.ts';
import { withTargets } from '../../source/compile-sources.ts';
import type { ServedConfig } from './snapshot.ts';

/** One difference between two configurations. Values are shown only if they are numbers or flags. */
export type ConfigChange = {
  /** The place in the gateway's file, such as `limits.tiers.standard`, or a source, such as `sources.crm`. */
  readonly path: string;
  readonly kind: 'added' | 'removed' | 'changed';
  readonly before?: number | boolean;
  readonly after?: number | boolean;
};

type Tree = Readonly<Record<string, unknown>>;

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !(value instanceof Secret);
}

/** A list whose items have names becomes an object by these names, so that an inserted item is one difference. */
function byName(value: Tree): Tree {
  if (!Array.isArray(value)) return value;
  const named = value.map((item: unknown): [string, unknown] | undefined => {
    const { name, id } = Object(item) as { name?: unknown; id?: unknown };
    const own = name ?? id;
    return typeof own === 'string' ? [own, item] : undefined;
  });
  const entries = named.filter((entry) => entry !== undefined);
  return entries.length === value.length ? Object.fromEntries(entries) : value;
}

/** Texts are not shown, because they may be or hold secrets, such as an address with a password. */
const shown = (value: unknown) =>
  typeof value === 'number' || typeof value === 'boolean' ? value : undefined;

const plain = (value: unknown): unknown => (value instanceof Secret ? { secret: value.reveal() } : value);

/** Whether the common items of two lists are in another order, because that changes the digest of the configuration. */
function isReordered(before: Tree, after: Tree): boolean {
  const [old, now] = [Object.keys(before), Object.keys(after)];
  const common = now.filter((name) => Object.hasOwn(before, name));
  return old.filter((name) => Object.hasOwn(after, name)).some((name, at) => name !== common[at]);
}

function changeOf(path: string, before: unknown, after: unknown): ConfigChange {
  const [was, is] = [shown(before), shown(after)];
  const kind = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
  return { path, kind, ...(was !== undefined && { before: was }), ...(is !== undefined && { after: is }) };
}

/** A contract is compared as its file has it. */
function written(value: unknown): unknown {
  const isContract = typeof value === 'object' && value !== null && Object.hasOwn(value, 'toJSON');
  return isContract ? (value as { toJSON(): unknown }).toJSON() : value;
}

function compare(path: string, was: unknown, is: unknown): readonly ConfigChange[] {
  const [before, after] = [written(was), written(is)];
  if (!isTree(before) || !isTree(after) || Array.isArray(before) !== Array.isArray(after))
    return isDeepStrictEqual(plain(before), plain(after)) ? [] : [changeOf(path, before, after)];
  const [old, now] = [byName(before), byName(after)];
  const keys = new Set([...Object.keys(old), ...Object.keys(now)]);
  const moved = Array.isArray(before) && isReordered(old, now) ? [changeOf(path, before, after)] : [];
  return [
    ...moved,
    ...[...keys].flatMap((key) => compare(path === '' ? key : `${path}.${key}`, old[key], now[key])),
  ];
}

/** The digests of the source files in use, by the names of the sources. */
function digestsOf({ compiled }: ServedConfig): Tree {
  return Object.fromEntries(withTargets(compiled).map(({ source, digest }) => [source.spec.name, digest]));
}

/** The differences between two configurations, in the order of the gateway's file. A changed source is one difference. */
export function findChanges(before: ServedConfig, after: ServedConfig): readonly ConfigChange[] {
  return [
    ...compare('', before.gateway, after.gateway),
    ...compare('sources', digestsOf(before), digestsOf(after)),
  ];
}
