/** A text without percent-encoding; `undefined` if it is not encoded correctly. */
export function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
