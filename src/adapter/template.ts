import type { RequestSpec } from '../config/source-schema.ts';
import type { Report } from './report.ts';

/** The values a template may name; an absent one makes its query parameter vanish. */
export type Variables = Readonly<Record<string, string | number | undefined>>;

/** A part of a query: parameter name and the template of its value. */
export type QueryTemplates = Readonly<Record<string, string>>;

type Piece = { readonly literal: string } | { readonly variable: string };

const VARIABLE = /\{([\w-]+)\}/g;

/**
 * RFC 3986 percent-encoding of everything but unreserved characters. A space is `%20`, which every server
 * reads, and never `+`, which some do not.
 * @internal
 */
export function percentEncode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function readPieces(template: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of template.matchAll(VARIABLE)) {
    if (match.index > from) pieces.push({ literal: template.slice(from, match.index) });
    pieces.push({ variable: match[1] as string });
    from = match.index + match[0].length;
  }
  if (from < template.length) pieces.push({ literal: template.slice(from) });
  return pieces;
}

/** Names every variable of a template that is not in `allowed`. */
export function checkTemplate(
  template: string,
  allowed: readonly string[],
  report: Report,
  at: readonly PropertyKey[],
): void {
  for (const [, variable = ''] of template.matchAll(VARIABLE)) {
    if (!allowed.includes(variable)) {
      report(
        at,
        `unknown variable {${variable}}`,
        allowed.length === 0 ? 'no variables here' : `variables: ${allowed.map((v) => `{${v}}`).join(', ')}`,
      );
    }
  }
}

/** A template compiled to a function that yields the encoded text, or `undefined` where a variable is absent. */
function compileText(template: string): (variables: Variables) => string | undefined {
  const pieces = readPieces(template);
  return (variables) => {
    let text = '';
    for (const piece of pieces) {
      const value = 'literal' in piece ? piece.literal : variables[piece.variable];
      if (value === undefined) return undefined;
      text += percentEncode(String(value));
    }
    return text;
  };
}

/** Compiles query templates into a function that yields `a=1&b=2`, encoded. */
export function compileQuery(templates: QueryTemplates): (variables: Variables) => readonly string[] {
  const parameters = Object.entries(templates).map(([name, template]) => ({
    name: percentEncode(name),
    render: compileText(template),
  }));
  return (variables) =>
    parameters.flatMap(({ name, render }) => {
      const value = render(variables);
      return value === undefined ? [] : [`${name}=${value}`];
    });
}

/** Compiles a path; literal slashes stay, a variable is always one segment. */
function compilePathTemplate(path: string): (variables: Variables) => string {
  const pieces = readPieces(path);
  return (variables) =>
    pieces
      .map((piece) =>
        'literal' in piece ? piece.literal : percentEncode(String(variables[piece.variable] ?? '')),
      )
      .join('');
}

/** Joins a path and the parts of its query. */
export function targetOf(path: string, query: readonly string[]): string {
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}

/** Compiles a request into a function that yields its path and the parts of its query. */
export function compileRequest(
  spec: RequestSpec,
  allowed: readonly string[],
  report: Report,
  at: readonly PropertyKey[],
) {
  checkTemplate(spec.path, allowed, report, [...at, 'path']);
  for (const [name, template] of Object.entries(spec.query))
    checkTemplate(template, allowed, report, [...at, 'query', name]);
  const path = compilePathTemplate(spec.path);
  const query = compileQuery(spec.query);
  return (variables: Variables) => ({ path: path(variables), query: query(variables) });
}
