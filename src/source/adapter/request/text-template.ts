// Templates of source files, such as `/users/{id}`: which variables they name, and how values are filled in.

import type { SpecLocation } from '../spec/spec-location.ts';

/**
 * The values of the variables in a template, which is a text such as `/users/{id}`. If a value is absent, the part of the
 * request that names it is left out.
 */
export type Variables = Readonly<Record<string, string | number | boolean | readonly unknown[] | undefined>>;

type TemplatePart = { readonly literal: string } | { readonly variable: string };

const VARIABLE = /\{([A-Za-z][\w-]*)\}/g;

/**
 * RFC 3986 percent-encoding of everything but unreserved characters. A space is `%20`, which every server
 * reads, and never `+`, which some do not.
 */
export function percentEncode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function readParts(template: string): readonly TemplatePart[] {
  const parts: TemplatePart[] = [];
  let from = 0;
  for (const match of template.matchAll(VARIABLE)) {
    if (match.index > from) parts.push({ literal: template.slice(from, match.index) });
    parts.push({ variable: match[1] as string });
    from = match.index + match[0].length;
  }
  if (from < template.length) parts.push({ literal: template.slice(from) });
  return parts;
}

/** The variables that a template names. */
export function variablesOf(template: string): readonly string[] {
  return [...template.matchAll(VARIABLE)].map(([, variable = '']) => variable);
}

/** The variables of a template that stand inside quotes. A value with such a quote would end the quoted text. */
export function quotedVariables(template: string): readonly string[] {
  const plain = template.replaceAll(/%22|&(?:quot|#34);/g, '"').replaceAll(/%27|&(?:apos|#39);/g, "'");
  const text = plain.replaceAll('%60', '`').replaceAll('\\', '');
  let open: string | undefined;
  let from = 0;
  return [...text.matchAll(VARIABLE)].flatMap(({ 0: whole, 1: name = '', index }) => {
    for (const [quote] of text.slice(from, index).matchAll(/['"`]/g))
      if (open === undefined || open === quote) open = open === undefined ? quote : undefined;
    from = index + whole.length;
    const isBetween = /['"`]/.test(text[index - 1] ?? '') && text[index - 1] === text[from];
    return isBetween || (open !== undefined && text.includes(open, from)) ? [name] : [];
  });
}

/** Reports every variable of a template that is not in `allowed`. */
export function checkTemplate(template: string, allowed: readonly string[], here: SpecLocation): void {
  for (const variable of variablesOf(template)) {
    if (!allowed.includes(variable)) {
      here.report(
        `unknown variable {${variable}}`,
        allowed.length === 0 ? 'no variables here' : `variables: ${allowed.map((v) => `{${v}}`).join(', ')}`,
      );
    }
  }
}

/** Reports every variable that is not in `allowed`, in the names and the values of `name: template` pairs. */
export function checkQuery(
  templates: Readonly<Record<string, string>>,
  allowed: readonly string[],
  here: SpecLocation,
): void {
  for (const [name, template] of Object.entries(templates)) {
    checkTemplate(name, allowed, here.at(name));
    checkTemplate(template, allowed, here.at(name));
  }
}

/** The variable, if the template is just one variable; else `undefined`. */
export function soleVariable(template: string): string | undefined {
  const [part, ...more] = readParts(template);
  return part !== undefined && more.length === 0 && 'variable' in part ? part.variable : undefined;
}

/**
 * Compiles a template to a function that fills in its variables, each encoded for its position; `undefined` if one is
 * absent. `encodeLiterals` encodes the literal parts too.
 */
export function compileText(
  template: string,
  encode: (text: string) => string,
  encodeLiterals: boolean,
): (variables: Variables) => string | undefined {
  const parts = readParts(template).map((part) =>
    'literal' in part && encodeLiterals ? { literal: encode(part.literal) } : part,
  );
  return (variables) => {
    let text = '';
    for (const part of parts) {
      if ('literal' in part) {
        text += part.literal;
        continue;
      }
      const value = variables[part.variable];
      if (value === undefined) return undefined;
      text += encode(String(value));
    }
    return text;
  };
}

/**
 * Compiles `name: template` pairs into a function that yields `name=value` parts, percent-encoded. Names are templates
 * too: some sources expect the sort column in a name, as in `sort[{column}]`.
 */
export function compileQuery(
  templates: Readonly<Record<string, string>>,
): (variables: Variables) => readonly string[] {
  const parameters = Object.entries(templates).map(([name, template]) => ({
    renderName: compileText(name, percentEncode, true),
    render: compileText(template, percentEncode, true),
  }));
  return (variables) =>
    parameters.flatMap(({ renderName, render }) => {
      const [name, value] = [renderName(variables), render(variables)];
      return name === undefined || value === undefined ? [] : [`${name}=${value}`];
    });
}
