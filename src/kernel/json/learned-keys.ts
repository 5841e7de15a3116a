/** Bytes, four in a number, which are compared and written at once. `mask` has the used bits of the last number. */
export type PackedBytes = {
  readonly words: Int32Array;
  /** How many numbers count as a whole. */
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

/*
 * What a reader of JSON learns of the objects that stand at one place of a source's documents: which key follows which.
 * The rows of a list have nearly always the same keys in the same order, so the bytes up to the next value are compared
 * with those that came before, which also shows that no key comes twice. It is a trie: hidden classes work in this way.
 */

/** A place of a document: what is wanted of it, and what was learned about it. */
export type WantedPlace = {
  /** Where the scanner keeps the place of the value; -1: nobody wants it. */
  readonly slot: number;
  /** The wanted values of an object here, by key. */
  readonly wanted: ReadonlyMap<string, WantedPlace>;
  /** The place of the rows, where a list here has them. */
  readonly rows: WantedPlace | undefined;
  /** Keys that came here before, wanted or not. */
  readonly children: Map<string, WantedPlace>;
  /** The key with which objects here begin. */
  first: KeyStep | undefined;
  /** The place of the items of a list; made when the first list comes. */
  items: WantedPlace | undefined;
};

/** A key of an object, behind the keys before it. */
export type KeyStep = {
  /** All bytes from the end of the value before to the start of this one: `,"key":`, with white space as it came. */
  readonly literal: PackedBytes;
  readonly key: string;
  readonly place: WantedPlace;
  readonly before: KeyStep | undefined;
  /** The number of keys before. */
  readonly depth: number;
  /** The key that follows, and where others came, too, those. */
  next: KeyStep | undefined;
  sibling: KeyStep | undefined;
};

/** An object with more keys than this is a dictionary: it is left to `readJson`, which finds a duplicate by its hash. */
const KEYS_MAX = 128;
/** More keys that follow the same ones are not learned. */
const SIBLINGS_MAX = 8;
/** Keys that are learned of one kind of document, and their lengths: a hostile source must not fill the memory. */
const LEARNED_MAX = 2_000;
const LENGTH_MAX = 200;
/** Where too much was learned, all of it is forgotten and learned anew, but only after this many documents. */
const RELEARN_EVERY = 1_000;

/** Makes a place of which nothing is known yet. */
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

/** Makes what knows the keys of documents, whose outermost value stands at `root`. */
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
    /** Says that another document begins. */
    begin(): void {
      documents += 1;
      if (learned < LEARNED_MAX || documents < RELEARN_EVERY) return;
      forget(root);
      learned = documents = 0;
    },

    /**
     * The step of a key that was read from bytes; it is learned unless too much was. `undefined` where the key came
     * before in the same object, or there are too many.
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
