// Escapes values for the query languages of sources, so that no value can change the expression around it.

import { hasControl } from '../../../kernel/control-characters.ts';

/** Writes a value into an expression of a query language. */
export type Escape = (text: string) => string;

const quoted = (quote: string, text: string) => quote + text + quote;

/** The escapes of texts in expressions, with their quotes. No value may end its own literal, so none is written unchanged. */
export const escapes = {
  /** OData 4.01, URL conventions, section 5.1.1.14.1: a quote is doubled. */
  odata: (text: string) => quoted("'", text.replaceAll("'", "''")),
  /** SQL-like texts with doubled quotes. */
  sql: (text: string) => quoted("'", text.replaceAll("'", "''")),
  /** SCIM (RFC 7644, section 3.4.2.2) and CREST take JSON texts. */
  json: (text: string) => JSON.stringify(text),
  /** SOQL: backslash before quotes and backslashes. */
  soql: (text: string) => quoted("'", text.replaceAll(/[\\']/g, String.raw`\$&`)),
  /** Lucene phrases: backslash before quotes and backslashes. */
  lucene: (text: string) => quoted('"', text.replaceAll(/[\\"]/g, String.raw`\$&`)),
  /** Double quotes for a source that unescapes nothing. Values that would need an escape are not sent. */
  double_quotes: (text: string) => quoted('"', text),
  /** Single quotes for a source that unescapes nothing. */
  single_quotes: (text: string) => quoted("'", text),
  /** ServiceNow encoded queries: a caret separates conditions and is doubled inside a value. */
  servicenow: (text: string) => text.replaceAll('^', '^^'),
  /** Numbers are written unchanged; the caller refuses everything else. */
  number: (text: string) => text,
} as const satisfies Record<string, Escape>;

/** What `escape` of a filter may be in a source file; the schema of `filters` lists the same names. */
export type EscapeName = keyof typeof escapes;

const PLAIN_NUMBER = /^-?\d+(\.\d+)?$/;
/** ServiceNow runs a value with this prefix as a script. */
const SCRIPT = /^\s*javascript:/i;

/** Texts that cannot be sent in quotes to a source that unescapes nothing. A source may still read a backslash as an escape. */
const UNSENDABLE: Partial<Record<EscapeName, RegExp>> = { double_quotes: /["\\]/, single_quotes: /['\\]/ };

/** For each escape the one that only adds the same quotes, for a source that does not unescape as expected. */
export const PLAIN_QUOTES: Partial<Record<EscapeName, EscapeName>> = {
  json: 'double_quotes',
  lucene: 'double_quotes',
  ...{ odata: 'single_quotes', sql: 'single_quotes', soql: 'single_quotes' },
};

/** Whether an escape can write a value without changing the expression around it. */
export function canEscape(name: EscapeName, text: string): boolean {
  const unsendable = UNSENDABLE[name];
  if (unsendable !== undefined) return !unsendable.test(text) && !hasControl(text);
  if (name === 'servicenow') return !SCRIPT.test(text);
  return name !== 'number' || PLAIN_NUMBER.test(text);
}
