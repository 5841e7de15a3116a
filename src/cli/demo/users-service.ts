// The sample service of the users: an old CRM with unusual replies, as gateways meet them.

import type { LegacyUser, SampleUser } from './data/generate-users.ts';
import {
  type LegacyAnswer,
  type LegacyRequest,
  type LegacyService,
  type LegacyServiceOptions,
  createLegacyService,
  textAnswer,
} from './legacy-service.ts';
import { contactCard, contactRow, jsonWithBigints } from './render-contact.ts';

/** The data of the CRM and its credentials. */
export type UsersServiceOptions = LegacyServiceOptions & {
  /** In ascending order of `cid`, as `generateUsers` returns them. */
  readonly users: readonly Pick<SampleUser, 'legacy'>[];
  readonly credentials: { readonly user: string; readonly password: string };
};

const ROWS_DEFAULT = 25;
const ROWS_MAX = 40;
const START_MAX = 2 ** 31 - 1;

/**
 * The sample CRM: contacts in deep envelopes of UTF-8 JSON. The HTTP status is always 200; the result is in `rc` (0
 * success, 16 login failed, 44 no such contact, 90 unknown order).
 */
export function createUsersService(options: UsersServiceOptions): LegacyService {
  const { users, credentials, secretMarker = '', latencyMs } = options;
  const contacts = users.map((user) => user.legacy);
  const byNumber = new Map(contacts.map((contact) => [contact.cid, contact]));
  const ordering = orderingsOf(contacts);
  const operations = new Map([
    ['/crm/v3/contacts.do', list],
    ['/crm/v3/contact.do', one],
  ]);
  const login = `Basic ${Buffer.from(`${credentials.user}:${credentials.password}`).toString('base64')}`;

  function list(params: URLSearchParams): LegacyAnswer {
    const ordered = ordering(params.get('ord') ?? 'CID', params.get('dir') === 'D');
    if (ordered === undefined) return failure(90, 'unknown order');
    const start = Math.min(wholeNumber(params.get('start')) ?? 0, START_MAX);
    const cnt = Math.min(wholeNumber(params.get('cnt')) ?? ROWS_DEFAULT, ROWS_MAX);
    const rows = ordered.slice(start, start + cnt).map((contact) => contactRow(contact, secretMarker));
    return success({ paging: { start, cnt, hits: contacts.length }, rows });
  }

  function one(params: URLSearchParams): LegacyAnswer {
    const cid = params.get('cid') ?? '';
    const contact = /^\d{1,19}$/.test(cid) ? byNumber.get(BigInt(cid)) : undefined;
    return contact === undefined
      ? failure(44, 'no such contact')
      : success({ card: { entity: contactCard(contact, secretMarker) } });
  }

  function answer({ path, params, headers }: LegacyRequest): LegacyAnswer {
    const operation = operations.get(path);
    if (operation === undefined) return errorPage;
    return headers.authorization === login ? operation(params) : failure(16, 'login failed');
  }

  return createLegacyService(answer, latencyMs);
}

const compares = new Map<string, (a: LegacyUser, b: LegacyUser) => number>([
  ['CID', (a, b) => compare(a.cid, b.cid)],
  ['CREATED', (a, b) => compare(Number(a.created), Number(b.created))],
  ['LNAME', (a, b) => compare((a.lname ?? '').toUpperCase(), (b.lname ?? '').toUpperCase())],
]);

/** The rows in an order, sorted once it is asked for. Ties keep the order of `cid` in both directions. */
function orderingsOf(contacts: readonly LegacyUser[]) {
  const known = new Map<string, readonly LegacyUser[]>();
  return (name: string, isDescending: boolean): readonly LegacyUser[] | undefined => {
    const ascending = compares.get(name);
    const key = `${name} ${isDescending}`;
    const rows =
      known.get(key) ??
      (ascending && contacts.toSorted(isDescending ? (a, b) => ascending(b, a) : ascending));
    if (rows !== undefined) known.set(key, rows);
    return rows;
  };
}

function compare<T extends bigint | number | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function wholeNumber(text: string | null): number | undefined {
  return text !== null && /^\d+$/.test(text) ? Number(text) : undefined;
}

function success(reply: object): LegacyAnswer {
  return json({ rc: 0, rcText: 'OK', reply });
}

function failure(rc: number, rcText: string): LegacyAnswer {
  return json({ rc, rcText });
}

const json = (value: object) => textAnswer(200, jsonWithBigints(value), 'application/json; charset=UTF-8');

const errorPage = textAnswer(
  200,
  '<html><head><title>Error</title></head><body><h1>The requested action is not available.</h1></body></html>',
  'text/html; charset=UTF-8',
);
