// Changes a request as the example file of a dialect says, so that `portico infer` asks for a sort, a count or one record.

import type { DialectSpec, RequestSpec } from '../../../config/schema/source.ts';
import type { ResourceName } from '../../../contract/resource.ts';
import type { Json } from '../../../kernel/json/json.ts';
import { compilePath } from '../../../source/adapter/spec/path.ts';
import { mapLeaves, mapTexts } from '../../../kernel/json/json-tree.ts';
import { withQuery, withValue } from '../requests/request-parameters.ts';
import type { SortForm, SortTemplate } from './dialect.ts';

type Rule = DialectSpec['record'][number];

/** A template with other text in place of a name: in its keys and in its values. */
export function fill<T>(template: T, name: string, text: string): T {
  const inner = JSON.stringify(text).slice(1, -1);
  return JSON.parse(JSON.stringify(template).replaceAll(name, () => inner)) as T;
}

/** The JSON body of a request; `null` if it has none. */
export function jsonBodyOf({ body }: RequestSpec): Json {
  const json: unknown = body !== undefined && 'json' in body ? body.json : null;
  return json as Json;
}

/** The value at the path of `{=path}` in a body; an empty list if there is none. */
function valueIn(body: Json, leaf: unknown): unknown {
  const path = typeof leaf === 'string' ? /^\{=(.+)\}$/.exec(leaf)?.[1] : undefined;
  return path === undefined ? leaf : (compilePath(path)(body) ?? []);
}

/** The request with other parameters and other values in its body. */
function changeRequest(
  request: RequestSpec,
  { query, set }: Pick<SortTemplate, 'query' | 'set'>,
): RequestSpec {
  const body = jsonBodyOf(request);
  return Object.entries(set).reduce(
    (made, [path, value]) =>
      withValue(
        made,
        { in: 'json', path: path.split('.') },
        mapLeaves(value, (leaf) => valueIn(body, leaf)),
      ),
    withQuery(request, query),
  );
}

/** A way to sort by a column, from its template. */
export function compileSort(template: SortTemplate): SortForm {
  const { query, set, ascending, descending } = template;
  const placeText = (path: string) => {
    const [last = '', above] = path.split('.').reverse();
    return above === undefined ? `${last} in the body` : `${last} of ${above}`;
  };
  return {
    template,
    of(column) {
      const filled = fill({ query, set }, '{column}', column);
      const towards = (word: string) => (request: RequestSpec) =>
        changeRequest(request, fill(filled, '{direction}', word));
      return {
        by: [...Object.keys(filled.query), ...Object.keys(filled.set).map(placeText)].join(' and '),
        ascending: towards(ascending),
        descending: towards(descending),
      };
    },
  };
}

/** What the first rule that fits a request makes of `base`, and the rule's `at`; `undefined` if no rule fits. */
export function applyRules(
  rules: readonly Rule[],
  request: RequestSpec,
  context: { readonly resource?: ResourceName; readonly ids?: 'number' | 'text' },
  base = request,
): { readonly request: RequestSpec; readonly at: string } | undefined {
  const query = Object.entries(request.query).map(([name, value]) => `${name}=${value}`);
  const text = `${request.method} ${request.path}?${query.join('&')} ${JSON.stringify(jsonBodyOf(request))}`;
  for (const rule of rules) {
    const groups = new RegExp(rule.from).exec(text);
    const isMeant =
      (rule.resource ?? context.resource) === context.resource && (rule.ids ?? context.ids) === context.ids;
    if (groups === null || !isMeant) continue;
    const expand = (template: string) =>
      template.replaceAll(/\$(\d)/g, (_all, group: string) => groups[Number(group)] ?? '');
    const made = { ...base, path: expand(rule.path), query: mapTexts(rule.query ?? base.query, expand) };
    const asked: RequestSpec =
      rule.json === undefined ? made : { ...made, method: 'POST', body: base.body ?? { json: rule.json } };
    return { request: changeRequest(asked, { query: {}, set: rule.set }), at: rule.at };
  }
  return undefined;
}
