// Checks, when a source file is compiled, that the variables in the request of a list have values, are sent, and cannot break
// out of quotes.

import type { FilterSpec, ListSpec, RequestSpec } from '../../../config/schema/source.ts';
import type { SpecLocation } from '../spec/spec-location.ts';
import { quotedVariables, variablesOf } from './text-template.ts';

type Template = { readonly text: string; readonly path: readonly PropertyKey[] };

/** All texts of a tree, each of which may be a template, with their paths. */
function textsOf(tree: unknown, path: readonly PropertyKey[] = []): readonly Template[] {
  if (typeof tree === 'string') return [{ text: tree, path }];
  if (typeof tree !== 'object' || tree === null) return [];
  const isList = Array.isArray(tree);
  return Object.entries(tree).flatMap(([key, value]) =>
    textsOf(value, [...path, isList ? Number(key) : key]),
  );
}

/** The templates of a request that are left out if one of their variables has no value. */
function templatesOf({ query, headers, body }: RequestSpec): readonly Template[] {
  return textsOf({ query, headers, ...(body !== undefined && !('xml' in body) && { body }) });
}

/** The variables that receive the values of filters. */
export function namesOf(filters: ListSpec['filters']): readonly string[] {
  return Object.values(filters).flatMap((operators) =>
    Object.values(operators).flatMap(({ name, exactness }) =>
      name === undefined || exactness === 'none' ? [] : [name],
    ),
  );
}

/** The variables of a list's request that have no value for some queries. */
function optionalVariables({ filters, filterAlways, filterNone, sort }: ListSpec): ReadonlySet<string> {
  const optional = new Set(['filters', 'sorts', 'cursor', 'after', ...namesOf(filters)]);
  if (filterNone === undefined && !filterAlways.some((one) => typeof one === 'string'))
    optional.add('filter');
  if (sort?.none === undefined) optional.add('sort');
  return optional;
}

const HINTS: Readonly<Record<string, string>> = {
  filter: 'filterNone says what {filter} is without a condition',
  sort: 'sort.none says what {sort} is without a sort',
};

/** Reports a template with several variables of which one may have no value, because then the others are not sent either. */
function checkAbsent(list: ListSpec, here: SpecLocation): void {
  const optional = optionalVariables(list);
  for (const { text, path } of templatesOf(list.request)) {
    const names = new Set(variablesOf(text));
    const absent = [...names].filter((name) => optional.has(name));
    if (names.size < 2 || absent.length === 0) continue;
    const hints = absent.flatMap((name) => HINTS[name] ?? []);
    here
      .at('request', ...path)
      .report(
        `all of it is left out where ${absent.map((name) => `{${name}}`).join(' or ')} has no value`,
        hints.length === 0 ? 'give each a parameter of its own' : hints.join('; '),
      );
  }
}

/** The variables of a list's request, each with whether something in the file fills it, and the place of that. */
function filledVariables({
  filters,
  filterAlways,
  sort,
}: ListSpec): readonly (readonly [string, boolean, readonly string[]])[] {
  const used = Object.values(filters)
    .flatMap((operators) => Object.values(operators))
    .filter(({ exactness }) => exactness !== 'none');
  const always = filterAlways.map((one) => typeof one);
  return [
    ['filter', used.some(({ expr }) => expr !== undefined), ['filters']],
    ['filters', used.some(({ item }) => item !== undefined), ['filters']],
    ['filter', always.includes('string'), ['filterAlways']],
    ['filters', always.includes('object'), ['filterAlways']],
    ...namesOf(filters).map((name) => [name, true, ['filters']] as const),
    ['sort', sort?.expr !== undefined, ['sort', 'expr']],
    ['sorts', sort?.item !== undefined, ['sort', 'item']],
  ];
}

/**
 * Reports a variable that a filter or sort fills but the request does not use, because without the condition all rows would come.
 */
function checkSent(list: ListSpec, here: SpecLocation): void {
  const texts = (spec: RequestSpec) => textsOf(spec).flatMap(({ text }) => variablesOf(text));
  const asked = texts(list.request);
  const counted = list.total?.count === undefined ? undefined : texts(list.total.count);
  for (const [name, isFilled, path] of filledVariables(list)) {
    if (!isFilled) continue;
    if (!asked.includes(name))
      here
        .at(...path)
        .report(`the request does not use {${name}}, which this fills in`, `put {${name}} into the request`);
    if (
      name !== 'sort' &&
      name !== 'sorts' &&
      counted?.includes(name) === false &&
      list.total?.counts === 'filtered'
    )
      here
        .at('total', 'count')
        .report(
          `counts more than the filters leave: it has no {${name}}`,
          `put {${name}} into it, or say counts: all`,
        );
  }
}

/** Reports variables of filters that have two meanings, or that stand in the path, which cannot be left out. */
function checkNames({ filters, request }: ListSpec, reserved: readonly string[], here: SpecLocation): void {
  const names = namesOf(filters);
  const other = names.find((name, index) => names.indexOf(name) !== index || reserved.includes(name));
  if (other !== undefined)
    here.at('filters').report(`{${other}} has another meaning, too`, 'give each filter a name of its own');
  const inPath = names.find((name) => variablesOf(request.path).includes(name));
  if (inPath !== undefined)
    here
      .at('request', 'path')
      .report(`the path needs {${inPath}} always`, 'give the filter a `path` of its own');
}

/** The texts of a request in which a quote may stand. In XML, these are the attributes and the texts of elements. */
function quotableTexts({ path, query, headers, body }: RequestSpec): readonly Template[] {
  const names = Object.keys(query).map((name): Template => ({ text: name, path: ['query', name] }));
  const inXml =
    body !== undefined && 'xml' in body ? body.xml.matchAll(/=\s*"([^"]*)"|=\s*'([^']*)'|>([^<]*)/g) : [];
  const ofXml = Array.from(inXml, ([, double, single, text]): Template => {
    return { text: double ?? single ?? text ?? '', path: ['body', 'xml'] };
  });
  const inTree = body !== undefined && !('xml' in body) ? { body } : {};
  return [...textsOf({ path, query, headers, ...inTree }), ...names, ...ofXml];
}

/** Whether a filter sends only numbers and codes of the file, which have no quotes. */
function sendsNoQuotes({ map }: ListSpec, field: string, op: string, filter: FilterSpec): boolean {
  const { expr, item, name, escape, exactness } = filter;
  const isNumber =
    op === 'ge' || op === 'le' || (escape === 'number' && (expr ?? item ?? name) !== undefined);
  const steps = map[field]?.as ?? [];
  return exactness === 'none' || isNumber || steps.some((step) => typeof step === 'object' && 'enum' in step);
}

const QUOTED =
  "leave the quotes to an escape: expr: 'column = {value}' with escape: sql, odata, json …, and {filter} in the request";

function reportQuoted(texts: readonly Template[], unsafe: ReadonlySet<string>, here: SpecLocation): void {
  for (const { text, path } of texts)
    for (const name of quotedVariables(text).filter((one) => unsafe.has(one)))
      here.at(...path).report(`{${name}} stands inside quotes, and a value that holds one ends them`, QUOTED);
}

/**
 * Reports variables inside quotes: a caller's value with a quote would end the quoted text and find other rows. Only `expr`
 * escapes quotes as the service expects, and it writes the outer quotes, too.
 */
function checkQuoted(list: ListSpec, here: SpecLocation): void {
  const unsafe = new Set<string>();
  for (const [field, operators] of Object.entries(list.filters))
    for (const [op, filter] of Object.entries(operators)) {
      if (sendsNoQuotes(list, field, op, filter)) continue;
      const { query, expr, item, path, name } = filter;
      if (name !== undefined) unsafe.add(name);
      if (expr !== undefined) unsafe.add('filter');
      const keys = Object.keys(query).map((text): Template => ({ text, path: ['query', text] }));
      const texts = [...textsOf({ query, expr, item, path }), ...keys];
      reportQuoted(texts, new Set(['value', 'values']), here.at('filters', field, op));
    }
  const { request, total } = list;
  reportQuoted(quotableTexts(request), unsafe, here.at('request'));
  if (total?.count !== undefined) reportQuoted(quotableTexts(total.count), unsafe, here.at('total', 'count'));
}

/**
 * Checks that the variables of a list's request are consistent, and reports problems at their places. `reserved` are the names
 * that filters must not use.
 */
export function checkVariables(list: ListSpec, reserved: readonly string[], here: SpecLocation): void {
  checkNames(list, reserved, here);
  checkAbsent(list, here);
  checkSent(list, here);
  checkQuoted(list, here);
}
