/** Keys that a path can name; a service may send others, which are then not looked at. */
const NAMEABLE = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u{FFFD}]{1,80}$/u;
const PLAIN = /^[A-Za-z_@$][\w@$-]*$/;

/**
 * Whether a key may stand in a draft. What looks like a reference to the environment would be filled in when the
 * draft is read.
 */
export function isNameable(key: string): boolean {
  return NAMEABLE.test(key) && !key.includes('${') && key.isWellFormed();
}

/** A text in the double quotes of a path. */
export function quotedInPath(text: string): string {
  return `"${text.replaceAll(/[\\"]/g, String.raw`\$&`)}"`;
}

/** A path with one more key. */
export function pathWith(path: string, key: string): string {
  const step = PLAIN.test(key) ? key : quotedInPath(key);
  return path === '' ? step : `${path}.${step}`;
}

const MARKS = /\p{M}/gu;
const NOT_WORD = /[^a-z0-9]/g;

/** A name as it is compared: lower case, without accents, spaces and punctuation. */
export function fold(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(MARKS, '')
    .replaceAll('ß', 'ss')
    .toLowerCase()
    .replaceAll(NOT_WORD, '');
}
