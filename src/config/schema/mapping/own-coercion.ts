/** What an own coercion gets: a value of the reply, in which each number is the text of its digits. */
export type OwnInput = string | boolean | null | readonly OwnInput[] | { readonly [key: string]: OwnInput };

/**
 * A function of the operator's own that a step names (`{ call: name }`). The loader of the configuration finds it in the
 * module, and sets `run` and `digest`.
 */
export class OwnCoercion {
  readonly name: string;
  /** The digest of the module's text. As a part of the source's digest, it keeps answers of another text from being served. */
  digest = '';
  run: (value: OwnInput) => unknown = () => undefined;

  constructor(name: string) {
    this.name = name;
  }

  toJSON(): string {
    return `${this.name}@${this.digest}`;
  }
}
