// The sample service to which the users are migrated, with planted mistakes that the comparison has to find.

import type { SampleUser } from './data/generate-users.ts';
import {
  type LegacyAnswer,
  type LegacyRequest,
  type LegacyService,
  type LegacyServiceOptions,
  createLegacyService,
  textAnswer,
} from './legacy-service.ts';
import { type Person, personOf, SWAPPED_MAIL, withMistakes } from './people-records.ts';

/** The data of the new user service and its credentials. */
export type PeopleServiceOptions = LegacyServiceOptions & {
  /** The people of the CRM, in ascending order of their numbers. */
  readonly users: readonly Pick<SampleUser, 'truth'>[];
  readonly credentials: { readonly token: string };
  /** Whether the copy is made without the planted mistakes; not by default. */
  readonly isClean?: boolean | undefined;
};

type Order = { readonly column: (typeof COLUMNS)[number]; readonly isDescending: boolean };

const LIST = '/api/people';
const REPAIR = '/api/repair';
const SIZE_DEFAULT = 20;
const SIZE_MAX = 100;
const COLUMNS = ['legacyId', 'displayName', 'emailAddress', 'createdAt'] as const;

/**
 * The sample service that the users move to: JSON in camelCase, pages that each name the next one by a cursor, times in
 * ISO 8601, and ids of its own beside the old ones. Its copy of the people has twelve mistakes until somebody posts
 * to `/api/repair`.
 */
export function createPeopleService(options: PeopleServiceOptions): LegacyService {
  const { users, credentials, secretMarker = '', latencyMs, isClean = false } = options;
  const right = () => users.map(({ truth }, index) => personOf(truth, index, secretMarker));
  let made: ReturnType<typeof createStore> | undefined;
  // Made with the first request, because most demos move nobody and are to answer soon.
  const store = () =>
    (made ??= isClean ? createStore(right(), false) : createStore(withMistakes(right()), true));

  function list(params: URLSearchParams): LegacyAnswer {
    const order = readOrder(params);
    const size = Math.min(Number(params.get('pageSize') ?? SIZE_DEFAULT), SIZE_MAX);
    const from = readCursor(params.get('cursor'), order);
    if (order === undefined || from === undefined || !(size >= 1)) return json(400, { error: 'badRequest' });
    const all = store().sorted(order);
    const end = from + size;
    return json(200, {
      people: all.slice(from, end),
      totalCount: all.length,
      page: { nextCursor: end < all.length ? cursorOf(end, order) : null },
    });
  }

  function find(legacyId: string): LegacyAnswer {
    const found = store().byLegacyId.get(legacyId);
    const people = found === undefined ? [] : [found];
    return json(200, { people, totalCount: people.length, page: { nextCursor: null } });
  }

  function answer({ method, path, params, headers }: LegacyRequest): LegacyAnswer {
    if (headers.authorization !== `Bearer ${credentials.token}`) return json(401, { error: 'unauthorized' });
    if (path === REPAIR && method === 'POST') {
      made = createStore(right(), false);
      return json(200, { people: users.length });
    }
    if (path !== LIST || method !== 'GET') return json(404, { error: 'noSuchPath' });
    const legacyId = params.get('legacyId');
    return legacyId === null ? list(params) : find(legacyId);
  }

  return createLegacyService(answer, latencyMs);
}

/** The people, sorted once for each order that is asked for. */
function createStore(people: readonly Person[], hasMistakes: boolean) {
  const orders = new Map<string, readonly Person[]>();

  function sorted(order: Order): readonly Person[] {
    const key = keyOf(order);
    const known = orders.get(key);
    if (known !== undefined) return known;
    const rows = sortedBy(people, order);
    const made = hasMistakes && order.column === 'emailAddress' ? swapTie(rows) : rows;
    orders.set(key, made);
    return made;
  }

  return { byLegacyId: new Map(people.map((person) => [person.legacyId, person])), sorted };
}

/** Sorts as v1 does: by code point, unknown values last in both directions, ties by ascending number. */
function sortedBy(people: readonly Person[], { column, isDescending }: Order): readonly Person[] {
  const sign = isDescending ? -1 : 1;
  const byNumber = (a: Person, b: Person) => (BigInt(a.legacyId) < BigInt(b.legacyId) ? -1 : 1);
  if (column === 'legacyId') return people.toSorted((a, b) => sign * byNumber(a, b));
  const keys = new Map(people.map((person) => [person, bytesOf(person[column])]));
  return people.toSorted((a, b) => {
    const [left, right] = [keys.get(a), keys.get(b)];
    if (left === undefined || right === undefined)
      return Number(left === undefined) - Number(right === undefined) || byNumber(a, b);
    return sign * left.compare(right) || byNumber(a, b);
  });
}

/** The bytes of a text in UTF-8, because their order is that of code points. */
function bytesOf(text: string | null): Buffer | undefined {
  return text === null ? undefined : Buffer.from(text.normalize('NFC'));
}

/** Exchanges the first two people with the shared address, so that a tie is in the wrong order. */
function swapTie(rows: readonly Person[]): readonly Person[] {
  const at = rows.findIndex(({ emailAddress }) => emailAddress === SWAPPED_MAIL);
  const [first, second] = [rows[at], rows[at + 1]];
  if (first === undefined || second?.emailAddress !== SWAPPED_MAIL) return rows;
  return rows.with(at, second).with(at + 1, first);
}

function readOrder(params: URLSearchParams): Order | undefined {
  const asked = params.get('orderBy') ?? 'legacyId';
  const direction = params.get('direction') ?? 'asc';
  const column = COLUMNS.find((one) => one === asked);
  if (column === undefined || !['asc', 'desc'].includes(direction)) return undefined;
  return { column, isDescending: direction === 'desc' };
}

const keyOf = ({ column, isDescending }: Order) => `${column} ${isDescending ? 'desc' : 'asc'}`;

function cursorOf(from: number, order: Order): string {
  return Buffer.from(`${from} ${keyOf(order)}`).toString('base64url');
}

/** The number of the first row; `undefined` for a cursor that was not made here, or for another order. */
function readCursor(cursor: string | null, order: Order | undefined): number | undefined {
  if (cursor === null) return 0;
  const [, from, key] = /^(\d{1,9}) (.+)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  return order !== undefined && key === keyOf(order) ? Number(from) : undefined;
}

const json = (status: number, value: object) => textAnswer(status, JSON.stringify(value), 'application/json');
