// Compiles the body of a request: JSON, a form or XML, with the values of variables filled in and escaped.

import { escapeXml } from '../../../kernel/escape-xml.ts';
import type { BodySpec } from '../../../config/schema/source.ts';
import type { UpstreamRequest } from '../../../kernel/upstream-call.ts';
import type { SpecLocation } from '../spec/spec-location.ts';
import {
  checkQuery,
  checkTemplate,
  compileQuery,
  compileText,
  soleVariable,
  type Variables,
} from './text-template.ts';

type Render = (variables: Variables) => NonNullable<UpstreamRequest['body']>;

/** The value of a JSON part whose variable is absent. Such a part is left out. */
const ABSENT = Symbol('absent');

type JsonPart = (variables: Variables) => unknown;

/** A text that is just one variable keeps the type of the variable's value, so `"{limit}"` becomes a number. */
function compileJsonText(template: string): JsonPart {
  const variable = soleVariable(template);
  if (variable !== undefined) return (variables) => variables[variable] ?? ABSENT;
  const render = compileText(template, (text) => text, false);
  return (variables) => render(variables) ?? ABSENT;
}

/**
 * Compiles a tree whose texts and keys are templates. The tree is built first and then written as JSON, which escapes the values.
 */
export function compileJsonTree(tree: unknown): JsonPart {
  if (typeof tree === 'string') return compileJsonText(tree);
  if (Array.isArray(tree)) {
    const items = tree.map(compileJsonTree);
    return (variables) => items.map((item) => item(variables)).filter((item) => item !== ABSENT);
  }
  if (typeof tree !== 'object' || tree === null) return () => tree;
  const entries = Object.entries(tree).map(
    ([key, value]) => [compileText(key, (text) => text, false), compileJsonTree(value)] as const,
  );
  return (variables) =>
    Object.fromEntries(
      entries.flatMap(([renderKey, part]) => {
        const [key, value] = [renderKey(variables), part(variables)];
        return key === undefined || value === ABSENT ? [] : [[key, value] as const];
      }),
    );
}

/** Reports every unknown variable in the texts of a tree. */
export function checkJsonTree(tree: unknown, allowed: readonly string[], here: SpecLocation): void {
  if (typeof tree === 'string') checkTemplate(tree, allowed, here);
  else if (Array.isArray(tree)) tree.forEach((item, index) => checkJsonTree(item, allowed, here.at(index)));
  else if (typeof tree === 'object' && tree !== null)
    for (const [key, value] of Object.entries(tree)) {
      checkTemplate(key, allowed, here.at(key));
      checkJsonTree(value, allowed, here.at(key));
    }
}

/** An element whose only content is a variable, or a variable anywhere else. */
const XML_PART = /<([\w:.-]+)(?:\s[^<>]*)?>\{[A-Za-z][\w-]*\}<\/\1>|\{[A-Za-z][\w-]*\}/g;

/** An element whose only content is an absent variable is left out. An absent variable elsewhere becomes an empty text. */
function compileXml(xml: string): (variables: Variables) => string {
  const parts: string[] = [];
  let from = 0;
  for (const { 0: part, index } of xml.matchAll(XML_PART)) {
    parts.push(xml.slice(from, index), part);
    from = index + part.length;
  }
  const compiled = [...parts, xml.slice(from)].map((part) => compileText(part, escapeXml, false));
  return (variables) => compiled.map((render) => render(variables) ?? '').join('');
}

/** Compiles the body of a request; parts whose variable is absent are left out. */
export function compileBody(spec: BodySpec, allowed: readonly string[], here: SpecLocation): Render {
  if ('json' in spec) {
    checkJsonTree(spec.json, allowed, here.at('json'));
    const tree = compileJsonTree(spec.json);
    return (variables) => ({ contentType: 'application/json', text: JSON.stringify(tree(variables)) });
  }
  if ('form' in spec) {
    checkQuery(spec.form, allowed, here.at('form'));
    const form = compileQuery(spec.form);
    return (variables) => ({
      contentType: 'application/x-www-form-urlencoded',
      text: form(variables).join('&'),
    });
  }
  checkTemplate(spec.xml, allowed, here.at('xml'));
  const xml = compileXml(spec.xml);
  const contentType = spec.contentType ?? 'text/xml; charset=utf-8';
  return (variables) => ({ contentType, text: xml(variables) });
}
