// The entries of the navigation, and the keys that go there after `g`.

import type { ViewName } from '../show/address.ts';

/** An entry of the navigation; `jump` is the key that goes there after `g`. */
export type NavEntry = { readonly view: ViewName; readonly title: string; readonly jump: string };

/** The views, the most important first. */
export const destinations: readonly NavEntry[] = [
  { view: 'overview', title: 'Overview', jump: 'o' },
  { view: 'source', title: 'Source', jump: 's' },
  { view: 'requests', title: 'Requests', jump: 'r' },
  { view: 'try', title: 'Try it', jump: 't' },
  { view: 'callers', title: 'Callers & keys', jump: 'k' },
  { view: 'cache', title: 'Cache', jump: 'c' },
  { view: 'quality', title: 'Data quality', jump: 'q' },
  { view: 'migration', title: 'Migration', jump: 'm' },
  { view: 'config', title: 'Configuration', jump: 'f' },
  { view: 'audit', title: 'Audit', jump: 'a' },
];

/** What a key does in the console. */
export type KeyCommand =
  | { readonly kind: 'search' }
  | { readonly kind: 'help' }
  | { readonly kind: 'prefix' }
  | { readonly kind: 'go'; readonly view: ViewName };

/** The command of a key; `afterG`: the key `g` was pressed just before. */
export function keyCommand(key: string, afterG: boolean): KeyCommand | undefined {
  if (afterG) {
    const found = destinations.find(({ jump }) => jump === key);
    return found === undefined ? undefined : { kind: 'go', view: found.view };
  }
  if (key === '/') return { kind: 'search' };
  if (key === '?') return { kind: 'help' };
  return key === 'g' ? { kind: 'prefix' } : undefined;
}
