// The key cache of `Projection`: a trie of the keys of a source's documents, which says for each place which key follows which.
// The rows of a list nearly always have the same keys in the same order. So `Projection` compares the bytes up to the next value
// with those of the row before, which also proves that no key comes twice. The hidden classes of V8 work in the same way.

/** Bytes, packed four to a number, so that four are compared at once. `mask` has the used bits of the last number. */
export type PackedBytes = {
  readonly words: Int32Array;
  /** How many of `words` are full, with four bytes each. */
  readonly whole: number;
  readonly mask: number;
  readonly length: number;
};

/** Packs bytes, the first of four into the lowest bits. */
export function packBytes(bytes: Uint8Array): PackedBytes {
  const { length } = bytes;
  const whole = length >> 2;
  const view = new DataView(new ArrayBuffer((whole + 1) * 4));
  for (const [at, byte] of bytes.entries()) view.setUint8(at, byte);
  const words = Int32Array.from({ length: whole + 1 }, (_, index) => view.getInt32(index * 4, true));
  return { words, whole, mask: (1 << ((length & 3) * 8)) - 1, length };
}

/** A place in a document: the values that are wanted there, and the keys that were learned there. */
export type WantedPlace = {
  /** The slot in which `Projection` keeps the offsets of the value; -1 if nobody wants the value. */
  readonly slot: number;
  /** The wanted values of an object here, by key. */
  readonly wanted: ReadonlyMap<string, WantedPlace>;
  /** The place of the rows, if the value here is the list of rows. */
  readonly rows: WantedPlace | undefined;
  /** Keys that came here before, wanted or not. */
  readonly children: Map<string, WantedPlace>;
  /** The key with which objects here begin; of several keys, the one that was learned last. */
  first: KeyStep | undefined;
  /** The place of the items of a list; created when the first list comes. */
  items: WantedPlace | undefined;
};

/** A key of an object, behind the keys before it. */
export type KeyStep = {
  /** All bytes from the end of the value before to the start of this one: `,"key":`, with white space as it came. */
  readonly literal: PackedBytes;
  readonly key: string;
  readonly place: WantedPlace;
  readonly before: KeyStep | undefined;
  /** The number of keys before this one in the object. */
  readonly depth: number;
  /** The key that was learned last behind this one. */
  next: KeyStep | undefined;
  /** Another key that was learned in the place of this one. */
  sibling: KeyStep | undefined;
};

/** An object with more keys is a dictionary. It is left to `readJson`, which finds a duplicate key by its hash. */
const KEYS_MAX = 128;
/** How many different keys are learned in one place, behind the same keys. */
const SIBLINGS_MAX = 8;
/** How many keys are learned, and how long each may be in bytes, so that no source can fill the memory. */
const LEARNED_MAX = 2_000;
const LENGTH_MAX = 200;
/** If too much was learned, all of it is forgotten and learned anew, but only after so many documents. */
const RELEARN_EVERY = 1_000;

/** Creates a place at which no key is learned yet. */
export function createPlace(
  slot: number,
  wanted: ReadonlyMap<string, WantedPlace> = new Map(),
  rows?: WantedPlace,
): WantedPlace {
  return { slot, wanted, rows, children: new Map(), first: undefined, items: undefined };
}

function forget(place: WantedPlace): void {
  place.children.clear();
  place.first = undefined;
  place.items = undefined;
  for (const child of place.wanted.values()) forget(child);
  if (place.rows !== undefined) forget(place.rows);
}

/** Learns the keys of documents whose outermost value stands at `root`. */
export function createLearnedKeys(root: WantedPlace) {
  let learned = 0;
  let documents = 0;

  function placeOf(place: WantedPlace, key: string, isKept: boolean): WantedPlace {
    const known = place.wanted.get(key) ?? place.children.get(key);
    if (known !== undefined) return known;
    const made = createPlace(-1);
    if (isKept) place.children.set(key, made);
    return made;
  }

  return {
    /** Call it when another document begins. */
    begin(): void {
      documents += 1;
      if (learned < LEARNED_MAX || documents < RELEARN_EVERY) return;
      forget(root);
      learned = documents = 0;
    },

    /**
     * Returns the step of a key that was read from bytes, and learns it unless the limits are reached. `undefined`: the key came
     * before in the same object, or the object has too many keys.
     */
    add(
      place: WantedPlace,
      before: KeyStep | undefined,
      key: string,
      bytes: Uint8Array,
    ): KeyStep | undefined {
      const depth = before === undefined ? 0 : before.depth + 1;
      if (depth >= KEYS_MAX) return undefined;
      for (let step = before; step !== undefined; step = step.before) if (step.key === key) return undefined;
      const sibling = before === undefined ? place.first : before.next;
      let siblings = 0;
      for (let one = sibling; one !== undefined; one = one.sibling) siblings += 1;
      const isKept = siblings < SIBLINGS_MAX && learned < LEARNED_MAX && bytes.length <= LENGTH_MAX;
      const literal = packBytes(bytes);
      const value = placeOf(place, key, isKept);
      const step: KeyStep = {
        literal,
        key,
        place: value,
        before,
        depth,
        next: undefined,
        sibling: undefined,
      };
      if (!isKept) return step;
      learned += 1;
      step.sibling = sibling;
      if (before === undefined) place.first = step;
      else before.next = step;
      return step;
    },
  };
}
