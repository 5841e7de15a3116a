/** Writes a value into an expression of a query language. */
export type Escape = (text: string) => string;

const quoted = (quote: string, text: string) => quote + text + quote;

/**
 * The escapes of texts in expressions, quotes included. None writes a value unchanged, because a value must never end
 * its own literal.
 */
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

/** Whether an escape can write a value without changing the expression around it. */
export function canEscape(name: EscapeName, text: string): boolean {
  if (name === 'servicenow') return !SCRIPT.test(text);
  return name !== 'number' || PLAIN_NUMBER.test(text);
}
