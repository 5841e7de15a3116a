import type { HttpReply } from '../../support/upstream/scripted-upstream.ts';
import { draftRows, type DraftRow } from './draft-row.ts';
import { type SmallRow, someUsers } from './small-service.ts';

const users = (name: string, more: Partial<DraftRow> = {}): DraftRow => ({
  ...{ name, resource: 'users', rows: someUsers(40), isPlain: true },
  ...more,
});

/** The instant of a moment in milliseconds. */
const instant = (ms: number) => new Date(ms).toISOString().replace('.000Z', 'Z');

/** Users made at moments that are written with a fraction. */
const moments = (
  name: string,
  msOf: (n: number) => number,
  write: (ms: number, n: number) => unknown,
): DraftRow =>
  users(`epoch: ${name}`, {
    rows: someUsers(40, (n) => ({ created_at: write(msOf(n), n), ms: undefined })),
    truth: ({ id }) => ({ created_at: instant(msOf(Number(id) - 1)) }),
  });

const quarter = (n: number) => 1_600_000_000_250 + n * 86_400_000;

const EVERYWHERE = [
  'user_2147483648',
  'user_9007199254740993',
  'user_9223372036854775808',
  'user_99999999999999999999999',
];

/** A service that fails at ids beyond what it can hold. */
const holding = (name: string, largest: bigint, refusal: HttpReply): DraftRow =>
  users(`id: ${name}`, {
    unknown: EVERYWHERE,
    before({ path }) {
      const id = /^\/users\/(.+)$/.exec(path)?.[1];
      return id !== undefined && (!/^\d+$/.test(id) || BigInt(id) > largest) ? refusal : undefined;
    },
  });

/** A service that asks for a user and a password. */
const basic = (name: string, user: string, password: string): DraftRow =>
  users(`basic: ${name}`, {
    login: [user, password],
    judge: (_report, variables) =>
      variables.length === 2 ? [] : [`the credential is in ${variables.join(', ')}`],
  });

const KEYS = ['id', 'name', 'email', 'created_at'];
const cells = (row: SmallRow) => KEYS.map((key) => row[key]);

const table = (name: string, page: DraftRow['page'], one?: DraftRow['one']): DraftRow =>
  users(`table: ${name}`, { ...(page && { page }), ...(one && { one }) });

/** Forms of values, ids, credentials and rows that correct services have. */
export const formRows = draftRows([
  moments('seconds with a fraction', quarter, (ms) => ms / 1_000),
  moments('seconds with a fraction, as texts', quarter, (ms) => (ms / 1_000).toFixed(6)),
  moments(
    'seconds, of which few have a fraction',
    (n) => quarter(n) - (n % 7 === 0 ? 0 : 250),
    (ms) => ms / 1_000,
  ),
  moments('milliseconds with a fraction', quarter, (ms) => ms + 0.5),
  moments(
    'seconds before and after 1970',
    (n) => (n - 20) * 864_000_500,
    (ms) => ms / 1_000,
  ),
  moments(
    'correct: whole seconds',
    (n) => quarter(n) - 250,
    (ms) => ms / 1_000,
  ),

  holding('32 bits, else 500', 2n ** 31n - 1n, { status: 500, body: { error: 'integer out of range' } }),
  holding('32 bits, else 400', 2n ** 31n - 1n, { status: 400, body: { error: 'bad id' } }),
  holding('32 bits without a sign, else 422', 2n ** 32n - 1n, { status: 422, body: { error: 'bad id' } }),
  holding('what a float holds exactly, else 400', 2n ** 53n - 1n, { status: 400, body: { error: 'unsafe' } }),
  holding('64 bits, else 500', 2n ** 63n - 1n, { status: 500, body: { error: 'overflow' } }),
  users('id: correct: any number is only not found', {
    unknown: EVERYWHERE,
    judge: ({ draft }) => (/id: \{ kind: number \}/.test(draft) ? [] : ['the draft has a form of ids']),
  }),

  basic('user:user', 'user', 'user'),
  basic('admin:admin', 'admin', 'admin'),
  basic('one letter', 'u', 'u'),
  basic('the same long word', 'q7-Kx9-long-secret', 'q7-Kx9-long-secret'),
  basic('correct: two words', 'user', 'q7-Kx9-long-secret'),

  table('names beside the rows', (rows, total) => ({
    body: { total, columns: KEYS, rows: rows.map(cells) },
  })),
  table('names as objects', (rows, total) => ({
    body: { total, columns: KEYS.map((name) => ({ name, type: 'text' })), rows: rows.map(cells) },
  })),
  table('names in a schema of their own', (rows, total) => ({
    body: { total, schema: { fields: KEYS.map((field) => ({ field })) }, result: { data: rows.map(cells) } },
  })),
  table(
    'one record is a table, too',
    (rows, total) => ({ body: { total, columns: KEYS, rows: rows.map(cells) } }),
    (row) => ({ body: { columns: KEYS, rows: [cells(row)] } }),
  ),
  table('correct: rows as objects beside their columns', (rows, total) => ({
    body: { total, columns: KEYS, rows },
  })),
]);
