import { contentDigest } from './secret.ts';

/** A component, and how it ends. Without `close`, it holds nothing that must be ended. */
export type MadeComponent<T> = { readonly value: T; readonly close?: (() => unknown) | undefined };

/** Makes a component from settings, which change with the configuration, and from what outlives every configuration. */
type Make<Settings, Deps, T> = (settings: Settings, deps: Deps) => MadeComponent<T>;

/** The components that one configuration works with. */
export type ComponentSet = {
  /**
   * What `make` makes of these settings. If an earlier set holds what the same function made of equal settings, and has
   * not been released, it is that one, with its connections and its state. Settings may be what JSON holds, secrets, and other
   * components of this registry, which count as themselves. So a function
   * that stands outside of any other is never reused for settings that it has not seen; one that is made anew for each
   * configuration is never reused at all. `deps` must have nothing of one configuration.
   * @throws Error where `make` acquires another component: a later set that only keeps this one would not hold the other;
   * or where settings have something that cannot be compared
   */
  acquire<Settings, Deps, T>(make: Make<Settings, Deps, T>, settings: Settings, deps: Deps): T;
  /** Gives the components up. Those that no other set holds are closed; resolves once they have ended. */
  release(): Promise<void>;
};

/** A reference-counted registry: a component lives while any configuration uses it, so it outlives a reload that does not change it. */
export type SharedComponents = {
  /** Opens the set of one more configuration. */
  open(): ComponentSet;
};

type SharedComponent = { readonly made: MadeComponent<unknown>; holders: number };

function isWeakKey(value: unknown): value is WeakKey {
  return typeof value === 'function' || (typeof value === 'object' && value !== null);
}

/** Creates the registry of one process, empty. */
export function createSharedComponents(): SharedComponents {
  const kept = new Map<string, SharedComponent>();
  /** Functions that make components, and components, by the order in which they came. */
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

  function open(): ComponentSet {
    const held = new Map<string, SharedComponent>();

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
