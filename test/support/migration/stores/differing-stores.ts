import { migration } from '../../../../src/config/schema/migration.ts';
import type { GetQuery, ListQuery } from '../../../../src/contract/query.ts';
import { resources, type ResourceName } from '../../reference.ts';
import type { UpstreamReply } from '../../../../src/kernel/upstream-call.ts';
import type { ComparisonVerdict } from '../../../../src/migration/compare/comparison.ts';
import { createComparer } from '../../../../src/migration/shadow/comparer.ts';
import { createSemaphore } from '../../../../src/kernel/semaphore.ts';
import { type Asked, openSource, type Serve } from '../../pipeline/scripted-source.ts';
import { queryOf, replyOf } from '../../pipeline/source-text.ts';
import { createManualClock } from '../../time/manual-clock.ts';

/** A row of a service, as its JSON has it. */
export type Row = Readonly<Record<string, unknown>>;

/** The two stores of one resource: their files, and a row of each by its number. */
type Stores = {
  readonly legacy: { readonly text: string; readonly row: (number: number) => Row };
  readonly next: { readonly text: string; readonly row: (number: number) => Row };
};

/** Services that name and write everything in another way, so that only v1 records can be compared. */
const textOf = (resource: ResourceName, fields: string, single: string) => `
outcomes: [{ status: 404, is: not_found, on: get }, { status: 200, is: ok }]
resources:
  ${resource}:
    id: { kind: number }
    list:
      request: { path: /rows, query: { from: '{offset}', n: '{limit}' } }
      window: { kind: offset, sizeMax: 50 }
      total: { at: hits }
      items: rows
      order: source
      orderIs: documented
      map: { id: id, ${fields} }
${single}`;
const getOf = (fields: string) => `
    get:
      request: { path: '/rows/{id}' }
      item: one
      map: { id: id, ${fields} }
`;

function usersText(email: string, since: string, bio: string, town: string): string {
  const fields = `name: name, email: ${email}, created_at: { from: ${since}, as: [iso8601] }`;
  const profile = `profile.bio: ${bio}, profile.location: ${town}, profile.avatar_url: null`;
  return textOf('users', fields, getOf(`${fields}, ${profile}`));
}

export const BIO = 'A short text of some words.';
const CODES = "{ from: about.town, as: [{ enum: { BE: 'Bern', GE: 'Genf' } }] }";
export const users: Stores = {
  legacy: {
    text: usersText('mail', 'since', 'about.bio', CODES),
    row: (number) => ({
      ...{ id: number, name: `User ${number}`, mail: `u${number}@example.com` },
      ...{ since: '2020-05-01T10:00:00Z', about: { bio: BIO, town: 'BE' } },
    }),
  },
  next: {
    text: usersText('contact.email', 'createdAt', 'profile.bio', 'profile.town'),
    row: (number) => ({
      ...{ id: `${number}`, name: `User ${number}`, contact: { email: `u${number}@example.com` } },
      ...{ createdAt: '2020-05-01T12:00:00+02:00', profile: { bio: BIO, town: 'Bern' } },
    }),
  },
};

const KINDS = "{ from: code, as: [{ enum: { TOY: 'Toys', BOK: 'Books' } }] }";
const products: Stores = {
  legacy: {
    text: textOf('products', `name: name, description: text, price: price, category: ${KINDS}`, ''),
    row: (number) => ({ id: number, name: `Thing ${number}`, text: 'A thing.', price: 20, code: 'TOY' }),
  },
  next: {
    text: textOf('products', 'name: label, description: about, price: amount, category: kind', ''),
    row: (number) => ({
      id: `${number}`,
      label: `Thing ${number}`,
      about: 'A thing.',
      amount: '20',
      kind: 'Toys',
    }),
  },
};
const stores = { users, products };

/** Of 20 records the fifth is the one in which something is different. */
export const COUNT = 20;
export const CHANGED = 5;
export const numbers = Array.from({ length: COUNT }, (_, index) => index + 1);

/** What is different in the stores. `Row`s are laid over the changed one. */
type Change = {
  readonly legacy?: Row;
  readonly next?: Row;
  /** The rows at a call of the service, which are counted from 1. */
  readonly legacyRows?: (rows: readonly Row[], call: number) => readonly Row[];
  readonly nextRows?: (rows: readonly Row[], call: number) => readonly Row[];
  readonly hits?: number;
  /** Answers in place of the new service. */
  readonly reply?: (reply: UpstreamReply, asked: Asked) => UpstreamReply;
};

/** What one comparison comes to: its verdict, and the differences as `path|kind`, with the id where there is one. */
export type FoundDifferences = {
  readonly verdict: ComparisonVerdict | undefined;
  readonly differences: readonly string[];
  readonly ignored: readonly string[];
};

/** Two stores that differ, and what is asked of both. */
export type DifferingStores = {
  readonly resource?: ResourceName;
  readonly change: Change;
  /** The list that is asked for; the first ten by default. */
  readonly list?: string;
  /** The single user; the fifth by default. */
  readonly id?: string;
};

function serve(rowsAt: (call: number) => readonly Row[], { hits, reply: changed }: Change = {}): Serve {
  // A number that no double holds stands in a text here, and is a number in JSON.
  const written = (body: unknown) => replyOf(JSON.stringify(body).replaceAll(/"#(\d+)"/g, '$1'));
  function answer({ path, parameters, number }: Asked): UpstreamReply {
    const rows = rowsAt(number);
    const from = Number(parameters['from'] ?? 0);
    if (path === '/rows')
      return written({ hits: hits ?? rows.length, rows: rows.slice(from, from + Number(parameters['n'])) });
    const one = rows.find(({ id }) => path === `/rows/${String(id).replace('#', '')}`);
    return one === undefined ? replyOf({}, { status: 404 }) : written({ one });
  }
  return (asked) => changed?.(answer(asked), asked) ?? answer(asked);
}

/** Compares what both stores answer, with the rules of `compare` in a gateway file. */
export async function compareStores(
  differing: DifferingStores,
  operation: 'list' | 'get',
  compare: object = {},
): Promise<FoundDifferences> {
  const { resource = 'users', change, list = 'page=1&limit=10', id = `user_${CHANGED}` } = differing;
  const { legacy, next } = stores[resource];
  const same = (rows: readonly Row[]) => rows;
  function rowsOf(row: (number: number) => Row, over: Row = {}, changed: Change['nextRows'] = same) {
    const rows = numbers.map((number) => (number === CHANGED ? { ...row(number), ...over } : row(number)));
    return (call: number) => changed(rows, call);
  }
  const serveLegacy = serve(rowsOf(legacy.row, change.legacy, change.legacyRows));
  const serveNext = serve(rowsOf(next.row, change.next, change.nextRows), change);
  const sources = {
    legacy: openSource(resource, legacy.text, serveLegacy).answer,
    new: openSource(resource, next.text, serveNext).answer,
  };
  const clock = createManualClock();
  const compareWithOther = createComparer({
    ...{
      resource: resources[resource],
      sources,
      clock,
      slots: createSemaphore(8),
      keptRules: () => [],
    },
    config: migration.parse({ to: 'x', compare }),
    toSample: ({ path, kind, id: key = '' }) => ({ path, kind, key }),
    wait: () => Promise.resolve(),
  });
  const query: ListQuery | GetQuery =
    operation === 'list' ? queryOf(resource, list) : { kind: 'get', resource: 'users', id };
  const signal = new AbortController().signal;
  const answer = await sources.legacy({ query, usage: { upstreamCalls: 0, upstreamMs: 0 }, signal });
  const served = { kind: 'answered', answer, ms: 1, isFresh: true } as const;
  const { comparison } = await compareWithOther({ operation, query, origin: 'legacy', served }, signal);
  const texts = (all: NonNullable<typeof comparison>['differences'] = []) =>
    all.map(({ path, kind, key }) => `${path}|${kind}${key === '' ? '' : ` of ${key}`}`);
  return {
    verdict: comparison?.verdict,
    differences: texts(comparison?.differences),
    ignored: texts(comparison?.ignored),
  };
}

/** Rows with others among them. */
export const insert =
  (place: number, ...rows: readonly Row[]) =>
  (all: readonly Row[]) =>
    all.toSpliced(place, 0, ...rows);

/** Rows of which two have changed their places. */
export const swapped = (a: number, b: number) => (all: readonly Row[]) =>
  all.map((row, index) => all[index === a ? b : index === b ? a : index]!);
