import type { Capabilities } from './capabilities.ts';

/** What a request asks of the model. */
export type Asked = {
  /** From 0. */
  readonly first: number;
  readonly size: number;
  /** The native id behind which rows are asked for. */
  readonly after: string | undefined;
  readonly category: string | undefined;
  readonly low: string | undefined;
  readonly high: string | undefined;
  readonly sort: { readonly field: string; readonly descending: boolean } | undefined;
};

type Given = Record<string, unknown>;

/** Reads `field eq 'text' and field ge 1.5`, as a server would: the quotes decide, not the words in between. */
function readConditions(expression: string): [string, string, string][] {
  const conditions: [string, string, string][] = [];
  let rest = expression;
  while (rest !== '') {
    const match =
      /^(category|price) (eq|ge|le) (?:'((?:[^']|'')*)'|(-?\d+(?:\.\d+)?))(?: and (?=.)|$)/su.exec(rest);
    if (match === null) throw new Error('the condition cannot be read');
    const [whole, field = '', op = '', quoted, number = ''] = match;
    conditions.push([field, op, quoted === undefined ? number : quoted.replaceAll("''", "'")]);
    rest = rest.slice(whole.length);
  }
  return conditions;
}

function fromItems(given: Given): Given {
  const filters = (given['filters'] ?? []) as Record<string, string>[];
  const [sort] = (given['sorts'] ?? []) as Record<string, string>[];
  return {
    ...Object.fromEntries(filters.map(({ field, op, value }) => [`${field}.${op}`, value])),
    ...(sort && { sort: sort['by'], direction: sort['way'] }),
  };
}

function fromExpressions(given: Given): Given {
  const [sort, direction] = typeof given['order'] === 'string' ? given['order'].split(' ') : [];
  const conditions = typeof given['filter'] === 'string' ? readConditions(given['filter']) : [];
  return {
    ...Object.fromEntries(conditions.map(([field, op, value]) => [`${field}.${op}`, value])),
    sort,
    direction,
  };
}

function parametersOf({ style, ask }: Capabilities, query: URLSearchParams, body: string): Given {
  const parameters: Given = Object.fromEntries(query);
  const given: Given =
    style === 'json' && body !== ''
      ? { ...parameters, ...(JSON.parse(body) as Given) }
      : { ...parameters, ...Object.fromEntries(new URLSearchParams(style === 'form' ? body : '')) };
  if (ask === 'items') return { ...given, ...fromItems(given) };
  return ask === 'expression' ? { ...given, ...fromExpressions(given) } : given;
}

/** Reads a request's question, as the model's source file asks it. */
export function readAsked(can: Capabilities, query: URLSearchParams, body: string): Asked {
  const given = parametersOf(can, query, body);
  const textOf = (name: string) => {
    const value = given[name];
    return typeof value === 'number' ? String(value) : (value as string | undefined);
  };
  const size = Math.min(can.size * (can.window === 'page' ? 2 : 1), Number(textOf('limit') ?? Infinity));
  const numbered = Number(textOf('from') ?? can.base) - can.base;
  const first = can.window === 'page' ? numbered * size : numbered;
  const field = textOf('sort');
  return {
    first: Number(textOf('cursor') ?? first),
    size,
    after: textOf('after'),
    category: textOf('category.eq'),
    low: textOf('price.ge'),
    high: textOf('price.le'),
    sort: field === undefined ? undefined : { field, descending: textOf('direction') === 'desc' },
  };
}
