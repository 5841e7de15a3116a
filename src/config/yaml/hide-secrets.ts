// Hides credentials in a configuration file, so that the console and `portico config` can show the configuration in force.

import { type Document, isPair, isScalar, Lexer, parseDocument, visit } from 'yaml';
import { MASK } from '../../kernel/secret.ts';

const SECRET_NAME =
  /auth(?!ors?$)|cookie|token|secret|passw|pwd|passphrase|pepper|(?<!failed)credential|session(?!s$)|signature|api[-_]?key|(?:^|[-_.])(?:key|sig|sid)$/i;

/** Whether the name of a key, a header, a parameter or a variable says that its value is a credential. */
export const isSecretName = (name: string): boolean => SECRET_NAME.test(name);

/** Whether the value under a name is hidden: secrets, and also the users and hashes that belong to them. */
const isHiddenName = (name: string) => isSecretName(name) || /(?:^|[-_.])(?:hash|user|private)$/i.test(name);

/** The keys of a source's `auth` that say how its credential is sent. Their values are not secret. */
const AUTH_TERMS =
  /^(?:kind|name|header|in|scopes?|method|path|url|tokenUrl|format|at|expires\w*|refresh\w*)$/;

const REFERENCE = /\$\{([^}:]*)(:-)?([^}]*)\}/g;
const USER_INFO = /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/?#@]+@/gi;
const QUERY_VALUE = /([?&;]([\w.-]+)=)[^&\s#"'{}]+/g;
/** These find `"password": "…"` and `<password>…</password>` inside the text of a body. */
const JSON_VALUE = /(["']([\w.-]+)["']\s*:\s*)(["'])(?:(?!\3).)*\3/g;
const XML_VALUE = /(<(?:[\w.-]+:)?([\w.-]+)(?:\s[^<>]*)?>)[^<{]+(?=<\/)/g;

/** A secret shorter than this is not searched for, because it would hide parts of other words. */
const SECRET_CHARS_MIN = 6;
/** A secret that is a plain word is hidden only in values, because it may also be a key, such as `portico`. */
const PLAIN_WORD = /^[a-z]{1,16}$/i;

type Edit = { readonly from: number; readonly to: number; readonly text: string };

/** Hides a text except for the names in its references. Defaults of references are hidden, because they may be secret. */
function hideAround(text: string): string {
  const references = [...text.matchAll(REFERENCE)].map(([, name = '', fallback]) =>
    fallback === undefined ? `\${${name}}` : `\${${name}:-${MASK}}`,
  );
  const isOnlyReferences = text.replaceAll(REFERENCE, '').trim() === '';
  return [...(isOnlyReferences ? [] : [MASK]), ...references].join('');
}

/** Hides the parts of a text that look like credentials. */
function hideInside(text: string): string {
  const byName = (whole: string, head: string, name: string) => (isHiddenName(name) ? head + MASK : whole);
  return text
    .replaceAll(REFERENCE, (whole, name: string, fallback: string | undefined) =>
      fallback !== undefined && isHiddenName(name) ? `\${${name}:-${MASK}}` : whole,
    )
    .replaceAll(USER_INFO, `$1${MASK}@`)
    .replaceAll(QUERY_VALUE, byName)
    .replaceAll(JSON_VALUE, (whole, head: string, name: string) =>
      isHiddenName(name) ? `${head}"${MASK}"` : whole,
    )
    .replaceAll(XML_VALUE, byName);
}

/** Whether the value at a path of keys is a credential because of its place. */
function isSecretPlace(keys: readonly string[]): boolean {
  const name = keys.at(-1) ?? '';
  if (isHiddenName(name)) return true;
  // In the gateway file, API keys are stored as hashes, and the settings of an issuer are public.
  if (keys[0] === 'auth' && (keys[1] === 'apiKeys' || keys[1] === 'jwt')) return false;
  return keys.slice(0, -1).includes('auth') && !AUTH_TERMS.test(name);
}

function keysOf(path: readonly unknown[]): readonly string[] {
  return path.flatMap((node) => (isPair(node) && isScalar(node.key) ? [String(node.key.value)] : []));
}

/** Edits that remove the comments, because a comment may contain an old password. */
function commentsOf(text: string): readonly Edit[] {
  const found: Edit[] = [];
  let at = 0;
  let isContent = false;
  for (const lexeme of new Lexer().lex(text)) {
    // The lexer adds these marks, which are not in the text.
    const isMark = lexeme === '\u0002' || lexeme === '\u0018' || lexeme === '\u001f';
    if (!isMark && !isContent && lexeme.startsWith('#'))
      found.push({ from: at, to: at + lexeme.length, text: '' });
    isContent = lexeme === '\u001f';
    if (!isMark) at += lexeme.length;
  }
  return found;
}

/** The text that is shown for a scalar. `whole`: the whole value is replaced. `inside`: only parts of it are hidden. */
type Shown = { readonly kind: 'whole' | 'inside'; readonly text: string };

function shownScalar(
  value: string,
  written: string,
  keys: readonly string[],
  known: readonly string[],
): Shown {
  if (isSecretPlace(keys)) {
    const text = hideAround(value);
    return text === value ? { kind: 'inside', text: written } : { kind: 'whole', text: `"${text}"` };
  }
  if (known.some((secret) => value.includes(secret))) return { kind: 'whole', text: `"${MASK}"` };
  return { kind: 'inside', text: hideInside(written) };
}

/** The edits that hide the secrets of a document. A replaced block keeps its number of lines. */
function editsOf(document: Document, source: string, known: readonly string[]): readonly Edit[] {
  const edits: Edit[] = [];
  visit(document, {
    Scalar(key, { value, range }, path) {
      const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
      if (key === 'key' || !isPlain || !range) return;
      const [from, to] = range;
      const written = source.slice(from, to);
      const { kind, text } = shownScalar(String(value), written, keysOf(path), known);
      const lines = kind === 'whole' ? written.split('\n').length - 1 : 0;
      if (text !== written) edits.push({ from, to, text: text + '\n'.repeat(lines) });
    },
  });
  return edits;
}

/**
 * The text of a configuration file as it may be shown: without comments, and with `***` for each secret. A secret is found
 * by the name of its key, by its form (`user:password@`), or because it is one of `secrets`. Lines keep their numbers.
 */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  const document = parseDocument(text, { version: '1.2', merge: true, logLevel: 'error' });
  const known = secrets.filter((secret) => secret.length >= SECRET_CHARS_MIN);
  const result = [...commentsOf(text), ...editsOf(document, text, known)]
    .sort((one, other) => other.from - one.from)
    .reduce((made, { from, to, text: by }) => made.slice(0, from) + by + made.slice(to), text);
  return known
    .filter((secret) => !PLAIN_WORD.test(secret))
    .reduce((made, secret) => made.replaceAll(secret, MASK), result)
    .replaceAll(/[^\S\n]+$/gm, '');
}
