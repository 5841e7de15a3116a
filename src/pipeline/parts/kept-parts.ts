/** What a part is, and how it ends. Without `close`, it holds nothing that must be ended. */
export type MadePart<T> = { readonly value: T; readonly close?: (() => unknown) | undefined };

/** The parts that one configuration works with. */
export type PartSet = {
  /**
   * The part of a kind and a key. If an earlier set holds it and has not been released, it is that one, with its
   * connections and its state; otherwise it is made. The key says everything that the part was made from.
   * @throws Error where `make` takes another part: a later set that only keeps this part would not hold that one
   */
  take<T>(kind: string, key: string, make: () => MadePart<T>): T;
  /** Gives the parts up. Those that no other set holds are closed; resolves once they have ended. */
  release(): Promise<void>;
};

/** Parts that outlive a change of configuration where what they were made from did not change. */
export type KeptParts = {
  /** Opens the set of one more configuration. */
  open(): PartSet;
};

type KeptPart = { readonly made: MadePart<unknown>; holders: number };

/** Creates the parts of one process; none is there yet. */
export function createKeptParts(): KeptParts {
  const kept = new Map<string, KeptPart>();
  let making: string | undefined;

  function made<T>(name: string, make: () => MadePart<T>): KeptPart {
    making = name;
    try {
      return { made: make(), holders: 0 };
    } finally {
      making = undefined;
    }
  }

  function open(): PartSet {
    const held = new Map<string, KeptPart>();

    function take<T>(kind: string, key: string, make: () => MadePart<T>): T {
      const name = `${kind} ${key}`;
      if (making !== undefined) throw new Error(`the part ${name} is taken while ${making} is made`);
      const part = held.get(name) ?? kept.get(name) ?? made(name, make);
      if (!held.has(name)) part.holders += 1;
      held.set(name, part);
      kept.set(name, part);
      // A kind has parts of one type only.
      return part.made.value as T;
    }

    async function release(): Promise<void> {
      const unheld = [...held].filter(([, part]) => (part.holders -= 1) === 0);
      held.clear();
      for (const [name] of unheld) kept.delete(name);
      await Promise.all(unheld.map(([, { made }]) => made.close?.()));
    }

    return { take, release };
  }

  return { open };
}
