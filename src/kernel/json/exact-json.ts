/** Parses JSON. A number that JavaScript would write otherwise, such as 19.90, keeps its digits: `JSON.stringify` writes them. */
export function parseExact(text: string): unknown {
  return JSON.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source
      ? JSON.rawJSON(source)
      : value,
  );
}
