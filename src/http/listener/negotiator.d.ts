declare module 'negotiator' {
  /** The part of negotiator 1 that is used here; it brings no types. */
  export default class Negotiator {
    constructor(request: { readonly headers: Readonly<Record<string, string>> });
    /** Those of `available` that are acceptable, best first; `preferred` decides between equals. */
    encodings(available: readonly string[], options?: { readonly preferred?: readonly string[] }): string[];
  }
}
