import type { Capability } from '../adapter/plan/push-down.ts';
import type { RuntimeClaims } from './source-runtime.ts';

/** The claims of a runtime that lives for one command. `unused` are not relied on from the start. */
export function createLocalClaims(unused: Iterable<Capability> = []): RuntimeClaims {
  const fallen = new Set(unused);
  return {
    fallen,
    fall(capability) {
      if (fallen.has(capability)) return false;
      fallen.add(capability);
      return true;
    },
  };
}
