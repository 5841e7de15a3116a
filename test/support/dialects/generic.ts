import type { ResourceName } from '../reference.ts';
import fc from 'fast-check';
import type { ModelRecord } from '../model/contract-model.ts';
import { type Dialect, notFound } from './serve.ts';
import type { HttpReply } from '../upstream/scripted-upstream.ts';

/** What a service without a known dialect does: honest, but in its own way. */
export type ServiceTraits = {
  readonly kind: 'offset' | 'page' | 'next' | 'whole';
  readonly base: 0 | 1;
  readonly start: string;
  readonly size: string;
  /** The most rows of a call, whatever is asked for. */
  readonly max: number;
  readonly pastEnd: 'empty' | 'missing' | 'last';
  readonly total: 'body' | 'header' | 'none';
  readonly envelope: 'bare' | 'flat' | 'deep';
  readonly order: 'id' | 'shuffled';
  readonly ids: 'number' | 'digits' | 'text';
  /** What becomes of a parameter that it does not know. */
  readonly strangers: 'ignored' | 'refused' | 'filters';
  readonly moments: 'iso' | 'seconds' | 'milliseconds' | 'dotnet' | 'local' | 'german';
  readonly prices: 'number' | 'text' | 'comma' | 'grouped';
  readonly nothing: 'null' | 'empty' | 'dash';
  readonly count: number;
};

/** Any service of this kind. */
export const anyServiceTraits: fc.Arbitrary<ServiceTraits> = fc.record({
  kind: fc.constantFrom('offset', 'page', 'next', 'whole'),
  base: fc.constantFrom(0, 1),
  start: fc.constantFrom('auto'),
  size: fc.constantFrom('limit', 'per_page', 'pageSize', 'cnt', '_limit', 'max', 'page[size]'),
  max: fc.constantFrom(10, 25, 100, 500),
  pastEnd: fc.constantFrom('empty', 'missing', 'last'),
  total: fc.constantFrom('body', 'header', 'none'),
  envelope: fc.constantFrom('bare', 'flat', 'deep'),
  order: fc.constantFrom('id', 'shuffled'),
  ids: fc.constantFrom('number', 'digits', 'text'),
  strangers: fc.constantFrom('ignored', 'refused', 'filters'),
  moments: fc.constantFrom('iso', 'seconds', 'milliseconds', 'dotnet', 'local', 'german'),
  prices: fc.constantFrom('number', 'text', 'comma', 'grouped'),
  nothing: fc.constantFrom('null', 'empty', 'dash'),
  count: fc.constantFrom(3, 8, 25, 60, 100, 130),
});

const STARTS = {
  offset: ['offset', 'start', 'skip', 'from'],
  page: ['page', 'p', 'pageNumber', 'pg'],
} as const;

/** The parameter for where a window starts, in keeping with the kind. */
function startOf({ kind, size }: ServiceTraits): string {
  const names = kind === 'page' ? STARTS.page : STARTS.offset;
  return names[size.length % names.length] ?? 'offset';
}

const CATEGORIES = ['Tools', 'Home & Garden', "O'Brien", 'Café'];

/** The records of a service, as the contract has them. */
export function truthsOf({ count, ids }: ServiceTraits, resource: ResourceName): readonly ModelRecord[] {
  return Array.from({ length: count }, (_, n) => {
    const native = ids === 'text' ? `k${String(n * 7).padStart(4, '0')}x` : String(n * 3 + 5);
    const day = new Date(Date.UTC(2015, n % 12, (n % 27) + 1));
    const created_at = n % 9 === 4 ? null : `${day.toISOString().slice(0, 19)}Z`;
    if (resource === 'users')
      return {
        id: `user_${native}`,
        name: `Zoë ${String.fromCharCode(65 + ((n * 5) % 26))}${n % 7}`,
        email: n % 6 === 5 ? null : `u${n % 40}@example.com`,
        created_at,
      };
    const price = n % 8 === 7 ? null : `${(n * 137) % 2100}.${String((n * 31) % 100).padStart(2, '0')}`;
    return {
      id: `prod_${native}`,
      name: `Thing ${n % 13}`,
      description: n % 5 === 0 ? null : `Text ${n}`,
      price,
      category: n % 10 === 9 ? null : CATEGORIES[n % 4]!,
    };
  });
}

function nothingIn({ nothing }: ServiceTraits): unknown {
  return nothing === 'null' ? null : nothing === 'empty' ? '' : '-';
}

function writtenMoment(habits: ServiceTraits, moment: string | null): unknown {
  if (moment === null) return nothingIn(habits);
  const ms = Date.parse(moment);
  const [year, month, day] = moment.slice(0, 10).split('-');
  switch (habits.moments) {
    case 'iso':
      return moment;
    case 'seconds':
      return ms / 1_000;
    case 'milliseconds':
      return ms;
    case 'dotnet':
      return `/Date(${ms})/`;
    case 'local':
      return `${moment.slice(0, 10)} 00:00:00`;
    case 'german':
      return `${day}.${month}.${year}`;
  }
}

function writtenPrice(habits: ServiceTraits, price: string | null): unknown {
  if (price === null) return nothingIn(habits);
  const [units = '', cents = ''] = price.split('.');
  const grouped = units.length > 3 ? `${units.slice(0, -3)}.${units.slice(-3)}` : units;
  return {
    number: JSON.rawJSON(price),
    text: price,
    comma: `${units},${cents}`,
    grouped: `${grouped},${cents}`,
  }[habits.prices];
}

function rowOf(habits: ServiceTraits, truth: ModelRecord): Readonly<Record<string, unknown>> {
  const native = truth.id.replace(/^\w+?_/, '');
  const id = habits.ids === 'number' ? Number(native) : native;
  const text = (value: string | null | undefined) => value ?? nothingIn(habits);
  if ('email' in truth)
    return {
      id,
      passwordHash: 'canary',
      fullName: truth['name'],
      contact: { mail: text(truth['email']) },
      createdAt: writtenMoment(habits, truth['created_at'] ?? null),
    };
  return {
    id,
    supplierToken: 'canary',
    title: truth['name'],
    description: text(truth['description']),
    price: writtenPrice(habits, truth['price'] ?? null),
    category: text(truth['category']),
  };
}

function numbered(habits: ServiceTraits, query: URLSearchParams): { first: number; size: number } {
  const given = Number(query.get(habits.size) ?? '10');
  const size = Math.min(Math.max(1, given), habits.max);
  const start = Number(query.get(startOf(habits)) ?? String(habits.base));
  const first = habits.kind === 'page' ? (start - habits.base) * size : start - habits.base;
  return { first: Math.max(0, first), size };
}

/** The service itself. Rows in no order are in the same one at every call. */
export function genericService(habits: ServiceTraits, resource: ResourceName): Dialect {
  const ascending = truthsOf(habits, resource).map((truth) => rowOf(habits, truth));
  const rows =
    habits.order === 'id' ? ascending : ascending.map((_, n) => ascending[(n * 7 + 3) % ascending.length]!);
  const distinct = new Set(rows).size === rows.length ? rows : ascending.toReversed();
  const known = [habits.size, startOf(habits), 'after'];

  function reply(
    window: readonly unknown[],
    found: number,
    extra: Readonly<Record<string, unknown>>,
    headers: Readonly<Record<string, string>> = {},
  ): HttpReply {
    const total = habits.total === 'body' ? { totalCount: found } : {};
    const all = { ...headers, ...(habits.total === 'header' && { 'X-Total-Count': String(found) }) };
    if (habits.envelope === 'bare') return { body: window, headers: all };
    const body = { items: window, ...total, ...extra };
    return { headers: all, body: habits.envelope === 'flat' ? body : { status: 'ok', response: body } };
  }

  return ({ path, query, origin }) => {
    const one = /^\/v7\/things\/(.+)$/.exec(path)?.[1];
    if (one !== undefined) {
      const row = rows.find(({ id }) => String(id) === decodeURIComponent(one));
      return row === undefined ? { status: 404, body: { code: 'E404' } } : { body: row };
    }
    if (path !== '/v7/things') return notFound;
    const strangers = [...query].filter(([name]) => !known.includes(name));
    if (strangers.length > 0 && habits.strangers === 'refused')
      return { status: 400, body: { code: 'UNKNOWN_PARAMETER' } };
    const found =
      habits.strangers !== 'filters'
        ? distinct
        : distinct.filter((row) => strangers.every(([name, value]) => String(row[name]) === value));
    if (habits.kind === 'whole') return reply(found, found.length, {});
    if (habits.kind === 'next') {
      const size = Math.min(Math.max(1, Number(query.get(habits.size) ?? '10')), habits.max);
      const first = Number(query.get('after') ?? '0');
      const next = first + size < found.length ? String(first + size) : undefined;
      const link = `${origin}${path}?${habits.size}=${size}&after=${next ?? ''}`;
      return reply(
        found.slice(first, first + size),
        found.length,
        { nextCursor: next ?? null },
        next === undefined ? {} : { Link: `<${link}>; rel="next"` },
      );
    }
    const { first, size } = numbered(habits, query);
    if (first < found.length || first === 0) return reply(found.slice(first, first + size), found.length, {});
    if (habits.pastEnd === 'missing') return { status: 404, body: { code: 'NO_SUCH_PAGE' } };
    if (habits.pastEnd === 'empty') return reply([], found.length, {});
    const last = Math.floor((found.length - 1) / size) * size;
    return reply(found.slice(last, last + size), found.length, {});
  };
}
