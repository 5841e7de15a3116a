/** ES proposal "JSON.parse source text access", in Node since 21; TypeScript's libraries do not know it yet. */
interface JSON {
  rawJSON(text: string): unknown;
}
