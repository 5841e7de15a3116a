/** ES proposal "JSON.parse source text access", in Node since 21 but not yet in TypeScript's libraries. */
interface JSON {
  rawJSON(text: string): unknown;
  parse(
    text: string,
    reviver: (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
}
