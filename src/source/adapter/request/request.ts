// Compiles a request of a source file, which is a set of templates, to a function of the values of its variables.

import type { RequestSpec } from '../../../config/schema/source.ts';
import type { UpstreamRequest } from '../../../kernel/upstream-call.ts';
import type { SpecLocation } from '../spec/spec-location.ts';
import { compileBody } from './request-body.ts';
import {
  checkQuery,
  checkTemplate,
  compileQuery,
  compileText,
  percentEncode,
  type Variables,
} from './text-template.ts';

const DIRECTORY = /(?:^|[/\\])\.{1,2}(?:[/\\;]|$)/;

/**
 * Whether a value means a directory in a path. No encoding prevents this: many servers decode `%2F` and resolve `..` behind it,
 * some cut off what follows a `;`, and some take `‥` for two dots.
 */
export function namesDirectory(value: string): boolean {
  return DIRECTORY.test(value.normalize('NFKC'));
}

/** Compiles a path. Slashes of the file are kept, and the value of a variable is always one segment. */
export function compileTarget(path: string): (variables: Variables) => string {
  const render = compileText(path, percentEncode, false);
  return (variables) => render(variables) ?? path;
}

/** Removes characters that are invalid in a header (RFC 9110, section 5.5), because they could end it and start another one. */
function headerText(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '');
}

function compileHeaders(headers: Readonly<Record<string, string>>) {
  const parts = Object.entries(headers).map(
    ([name, template]) => [name, compileText(template, headerText, false)] as const,
  );
  return (variables: Variables): Record<string, string> =>
    Object.fromEntries(
      parts.flatMap(([name, render]) => {
        const value = render(variables);
        return value === undefined ? [] : [[name, value] as const];
      }),
    );
}

/**
 * Compiles a request of a source file to a function of its variables, of additional query parts, and of another path if one is
 * given. Unknown variables are reported at their place.
 */
export function compileRequest(spec: RequestSpec, allowed: readonly string[], here: SpecLocation) {
  checkTemplate(spec.path, allowed, here.at('path'));
  checkQuery(spec.query, allowed, here.at('query'));
  for (const [name, template] of Object.entries(spec.headers))
    checkTemplate(template, allowed, here.at('headers', name));
  if (spec.body !== undefined && spec.method === 'GET') {
    here.at('body').report('a GET has no body', 'method: POST');
  }
  const path = compileTarget(spec.path);
  const query = compileQuery(spec.query);
  const headers = compileHeaders(spec.headers);
  const body = spec.body === undefined ? undefined : compileBody(spec.body, allowed, here.at('body'));
  return (variables: Variables, more: readonly string[], otherPath = path(variables)): UpstreamRequest => {
    const parts = [...query(variables), ...more];
    return {
      method: spec.method,
      target: parts.length === 0 ? otherPath : `${otherPath}?${parts.join('&')}`,
      headers: headers(variables),
      body: body?.(variables),
    };
  };
}
