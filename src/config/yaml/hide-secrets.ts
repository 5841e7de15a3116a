import { type Document, isPair, isScalar, Lexer, parseDocument, visit } from 'yaml';
import { MASK } from '../../kernel/secret.ts';

const SECRET_NAME =
  /auth(?!ors?$)|cookie|token|secret|passw|pwd|passphrase|pepper|(?<!failed)credential|session(?!s$)|signature|api[-_]?key|(?:^|[-_.])(?:key|sig|sid)$/i;

/** Whether the name of a key, a header, a parameter or a variable says that its value is a credential. */
export const isSecretName = (name: string): boolean => SECRET_NAME.test(name);

/** Whether the value under a name is hidden: that of a secret, and the name of the user or the hash that belongs to it. */
const isHiddenName = (name: string) => isSecretName(name) || /(?:^|[-_.])(?:hash|user|private)$/i.test(name);

/** The keys of a source's `auth` that say how its credential is sent. Their values are no secret. */
const AUTH_TERMS =
  /^(?:kind|name|header|in|scopes?|method|path|url|tokenUrl|format|at|expires\w*|refresh\w*)$/;

const REFERENCE = /\$\{([^}:]*)(:-)?([^}]*)\}/g;
const USER_INFO = /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/?#@]+@/gi;
const QUERY_VALUE = /([?&;]([\w.-]+)=)[^&\s#"'{}]+/g;
/** `"password": "…"` and `<password>…</password>` inside the text of a body. */
const JSON_VALUE = /(["']([\w.-]+)["']\s*:\s*)(["'])(?:(?!\3).)*\3/g;
const XML_VALUE = /(<(?:[\w.-]+:)?([\w.-]+)(?:\s[^<>]*)?>)[^<{]+(?=<\/)/g;

/** A shorter secret would hide parts of other words. If it is the whole value of a key, the name of the key hides it. */
const SECRET_CHARS_MIN = 6;
/** A secret that is a plain word may also be a key of the format, such as `portico`; then only values are hidden. */
const PLAIN_WORD = /^[a-z]{1,16}$/i;

type Edit = { readonly from: number; readonly to: number; readonly text: string };

/** A text with its references kept, and all else of it hidden: a default may be the secret itself. */
function hideAround(text: string): string {
  const references = [...text.matchAll(REFERENCE)].map(([, name = '', fallback]) =>
    fallback === undefined ? `\${${name}}` : `\${${name}:-${MASK}}`,
  );
  const isOnlyReferences = text.replaceAll(REFERENCE, '').trim() === '';
  return [...(isOnlyReferences ? [] : [MASK]), ...references].join('');
}

/** Hides what looks like a credential inside of a text that is none as a whole. */
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

/** Whether the value at some keys is a credential by its place. */
function isSecretPlace(keys: readonly string[]): boolean {
  const name = keys.at(-1) ?? '';
  if (isHiddenName(name)) return true;
  // In the gateway's file: keys have hashes, and what is said of an issuer is public.
  if (keys[0] === 'auth' && (keys[1] === 'apiKeys' || keys[1] === 'jwt')) return false;
  return keys.slice(0, -1).includes('auth') && !AUTH_TERMS.test(name);
}

function keysOf(path: readonly unknown[]): readonly string[] {
  return path.flatMap((node) => (isPair(node) && isScalar(node.key) ? [String(node.key.value)] : []));
}

/** Comments, by their places: one may hold a former password. */
function commentsOf(text: string): readonly Edit[] {
  const found: Edit[] = [];
  let at = 0;
  let isContent = false;
  for (const lexeme of new Lexer().lex(text)) {
    // Marks that the lexer adds to what it has read.
    const isMark = lexeme === '\u0002' || lexeme === '\u0018' || lexeme === '\u001f';
    if (!isMark && !isContent && lexeme.startsWith('#'))
      found.push({ from: at, to: at + lexeme.length, text: '' });
    isContent = lexeme === '\u001f';
    if (!isMark) at += lexeme.length;
  }
  return found;
}

/** How a scalar is shown in place of what is written: `whole`, as another value; `inside`, with parts of it hidden. */
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

/** The changes that hide what a document holds. What takes the place of a block has as many lines as it had. */
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
 * The text of a configuration file that may be shown: without its comments, and `***` for each secret: by the name it stands
 * under, by its form (`user:password@`), and wherever one of the `secrets` stands. Lines keep their numbers.
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
