/** An id of a source as a public id has it behind its prefix, if its ids are texts. */
export function escapedId(native: string): string {
  const escaped = (one: string) => [...Buffer.from(one)].map((byte) => `~${byte.toString(16)}`).join('');
  return Array.from(native, (one) => (/[\w.-]/.test(one) ? one : escaped(one))).join('');
}
