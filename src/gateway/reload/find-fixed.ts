import type { ConfigChange } from './find-changes.ts';

/** The keys of the gateway's file that a process is bound to for its life, each with all that is below it. */
const FIXED = [
  'workers',
  'listen.host',
  'listen.port',
  'admin.host',
  'admin.port',
  'redis',
  'telemetry',
  'state.dir',
];

/** The keys among some changes that need a restart. */
export function findFixed(changes: readonly ConfigChange[]): readonly string[] {
  return FIXED.filter((key) => changes.some(({ path }) => path === key || path.startsWith(`${key}.`)));
}
