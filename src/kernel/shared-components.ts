/** A component, and how it ends. Without `close`, it holds nothing that must be ended. */
export type MadeComponent<T> = { readonly value: T; readonly close?: (() => unknown) | undefined };

/** The components that one configuration works with. */
export type ComponentSet = {
  /**
   * The component of a kind and a key. If an earlier set holds it and has not been released, it is that one, with its
   * connections and its state; otherwise it is made. The key says everything that it was made from.
   * @throws Error where `make` acquires another component: a later set that only keeps this one would not hold the other
   */
  acquire<T>(kind: string, key: string, make: () => MadeComponent<T>): T;
  /** Gives the components up. Those that no other set holds are closed; resolves once they have ended. */
  release(): Promise<void>;
};

/** A reference-counted registry: a component lives while any configuration uses it, so it outlives a reload that does not change it. */
export type SharedComponents = {
  /** Opens the set of one more configuration. */
  open(): ComponentSet;
};

type SharedComponent = { readonly made: MadeComponent<unknown>; holders: number };

/** Creates the registry of one process, empty. */
export function createSharedComponents(): SharedComponents {
  const kept = new Map<string, SharedComponent>();
  let making: string | undefined;

  function made<T>(name: string, make: () => MadeComponent<T>): SharedComponent {
    making = name;
    try {
      return { made: make(), holders: 0 };
    } finally {
      making = undefined;
    }
  }

  function open(): ComponentSet {
    const held = new Map<string, SharedComponent>();

    function acquire<T>(kind: string, key: string, make: () => MadeComponent<T>): T {
      const name = `${kind} ${key}`;
      if (making !== undefined) throw new Error(`the component ${name} is acquired while ${making} is made`);
      const component = held.get(name) ?? kept.get(name) ?? made(name, make);
      if (!held.has(name)) component.holders += 1;
      held.set(name, component);
      kept.set(name, component);
      // A kind has components of one type only.
      return component.made.value as T;
    }

    async function release(): Promise<void> {
      const unheld = [...held].filter(([, component]) => (component.holders -= 1) === 0);
      held.clear();
      for (const [name] of unheld) kept.delete(name);
      await Promise.all(unheld.map(([, { made }]) => made.close?.()));
    }

    return { acquire, release };
  }

  return { open };
}
