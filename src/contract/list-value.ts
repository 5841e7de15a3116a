// Canonical values: the form in which Portico holds, compares and sends the values of records, whatever the form in which a
// source writes them. `src/source/adapter/map` makes them.

import { Decimal } from '../kernel/decimal.ts';

/** A canonical value that is neither null nor a list. Times are `YYYY-MM-DDTHH:mm:ss[.sss]Z`, dates `YYYY-MM-DD`. */
export type KnownValue = string | Decimal | boolean;

/** An element of a list: a value, or an object with canonical values by name. */
export type ListElement = KnownValue | Readonly<Record<string, KnownValue | null>>;

/** Whether an element of a list is a value, not an object. */
export function isScalar(element: ListElement): element is KnownValue {
  return typeof element !== 'object' || element instanceof Decimal;
}

/** A canonical list. It never changes, so its JSON text is written only once. */
export class ListValue {
  readonly elements: readonly ListElement[];
  #text: string | undefined;

  constructor(elements: readonly ListElement[]) {
    this.elements = elements;
  }

  get length(): number {
    return this.elements.length;
  }

  toJSON(): unknown {
    return this.elements;
  }

  /** Its JSON text. Two lists are the same in an answer if their texts are equal. */
  toString(): string {
    return (this.#text ??= JSON.stringify(this.elements));
  }
}
