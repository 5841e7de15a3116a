// Keeps components, such as clients and caches, alive over a reload that does not change their settings.

import { contentDigest } from './secret.ts';

/** A component and how to close it. Without `close`, it holds nothing that must be closed. */
export type MadeComponent<T> = { readonly value: T; readonly close?: (() => unknown) | undefined };

/** Makes a component from settings, which change with the configuration, and from `deps`, which outlive every configuration. */
type Make<Settings, Deps, T> = (settings: Settings, deps: Deps) => MadeComponent<T>;

/** The components, such as clients and caches, that one configuration works with. */
export type ComponentSet = ReturnType<ReturnType<typeof createSharedComponents>['open']>;

type SharedComponent = { readonly made: MadeComponent<unknown>; holders: number };

function isWeakKey(value: unknown): value is WeakKey {
  return typeof value === 'function' || (typeof value === 'object' && value !== null);
}

/**
 * Creates the reference-counted registry of one process. A component lives while any configuration uses it, so it outlives a
 * reload that does not change it.
 */
export function createSharedComponents() {
  const kept = new Map<string, SharedComponent>();
  /** A number for each function that makes components, and for each component. */
  const numbers = new WeakMap<WeakKey, number>();
  let last = 0;
  let making: string | undefined;

  const numberOf = (value: unknown) => (isWeakKey(value) ? numbers.get(value) : undefined);

  function number(value: unknown): void {
    if (isWeakKey(value) && !numbers.has(value)) numbers.set(value, (last += 1));
  }

  function made<T>(name: string, make: () => MadeComponent<T>): SharedComponent {
    making = name;
    try {
      const component = make();
      number(component.value);
      return { made: component, holders: 0 };
    } finally {
      making = undefined;
    }
  }

  /** Opens the set of one more configuration. */
  function open() {
    const held = new Map<string, SharedComponent>();

    /**
     * Returns the component that `make` makes of these settings. If another set still holds a component that the same function made
     * of equal settings, that one is returned, with its connections and its state. Settings may be what JSON holds, secrets, and
     * other components of this registry, which are compared by identity. `make` must be a function of its module: one that is
     * created for each configuration never finds an earlier component. `deps` must have nothing that belongs to one configuration.
     * @throws Error if `make` acquires another component, because a later set that only keeps this one would not hold the other; or
     * if settings have something that cannot be compared
     */
    function acquire<Settings, Deps, T>(make: Make<Settings, Deps, T>, settings: Settings, deps: Deps): T {
      if (making !== undefined)
        throw new Error(`${make.name} is asked for a component while ${making} makes one`);
      number(make);
      const key = `${String(numberOf(make))} ${contentDigest(settings, numberOf)}`;
      const component = held.get(key) ?? kept.get(key) ?? made(make.name, () => make(settings, deps));
      if (!held.has(key)) component.holders += 1;
      held.set(key, component);
      kept.set(key, component);
      // Everything under the key was made by the same function.
      return component.made.value as T;
    }

    /** Closes the components that no other set holds. Resolves once they are closed. */
    async function release(): Promise<void> {
      const unheld = [...held].filter(([, component]) => (component.holders -= 1) === 0);
      held.clear();
      for (const [key] of unheld) kept.delete(key);
      await Promise.all(unheld.map(([, { made }]) => made.close?.()));
    }

    return { acquire, release };
  }

  return { open };
}
