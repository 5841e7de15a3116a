declare module 'negotiator' {
  /** The types of negotiator 1, as far as they are used here, because the package has none. */
  export default class Negotiator {
    constructor(request: { readonly headers: Readonly<Record<string, string>> });
    /** The acceptable codings of `available`, the best first. `preferred` decides between equally good ones. */
    encodings(available: readonly string[], options?: { readonly preferred?: readonly string[] }): string[];
  }
}
