const ZERO = 0x30;
const NINE = 0x39;

/** Whether a text is one of a shape, in which `0` stands for any digit and every other character for itself. */
export function fitsShape(text: string, shape: string): boolean {
  if (text.length !== shape.length) return false;
  for (let at = 0; at < shape.length; at += 1) {
    const code = text.charCodeAt(at);
    const expected = shape.charCodeAt(at);
    if (expected === ZERO ? code < ZERO || code > NINE : code !== expected) return false;
  }
  return true;
}
