// The entries of the navigation, and the keys that go there after `g`.

import type { ViewName } from '../show/address.ts';

/** The entries of the navigation, the most important first; `jump` is the key that goes there after `g`. */
export const destinations = [
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
] as const satisfies readonly { readonly view: ViewName; readonly title: string; readonly jump: string }[];

/** What a key does in the console; `afterG`: the key `g` was pressed just before. */
export function keyCommand(key: string, afterG: boolean) {
  if (afterG) {
    const found = destinations.find(({ jump }) => jump === key);
    return found === undefined ? undefined : ({ kind: 'go', view: found.view } as const);
  }
  if (key === '/') return { kind: 'search' } as const;
  if (key === '?') return { kind: 'help' } as const;
  return key === 'g' ? ({ kind: 'prefix' } as const) : undefined;
}
