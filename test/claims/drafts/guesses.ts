import { draftRows, type DraftRow } from './draft-row.ts';
import { someProducts, someUsers } from './small-service.ts';

const names = (count: number, nameOf: (n: number) => string) =>
  someUsers(count, (n) => ({ name: nameOf(n) }));
const unescaped = (value: unknown) =>
  String(value).replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

const users = (name: string, rows: DraftRow['rows'], more: Partial<DraftRow> = {}): DraftRow => ({
  ...{ name: `guess: ${name}`, resource: 'users', rows, isPlain: false },
  ...more,
});
const products = (name: string, rows: DraftRow['rows'], more: Partial<DraftRow> = {}): DraftRow => ({
  ...{ name: `guess: ${name}`, resource: 'products', rows, isPlain: false },
  ...more,
});

const WIDE = (n: number) => `Ada ${n}${n % 3 === 0 ? ' Lovelace' : ''}`.padEnd(20);

/** Services whose texts look as if a step were needed, and correct ones of the same shape that need it. */
export const guessRows = draftRows([
  users(
    'one name holds a reference, others a raw &',
    names(40, (n) => (n === 7 ? 'a&amp;b' : `a & b ${n}`)),
  ),
  users(
    'twelve names hold references, one a raw <',
    names(40, (n) => (n < 12 ? `R&amp;D ${n}` : n === 20 ? 'x < y' : `Bo ${n}`)),
  ),
  users(
    'nine names hold references, one a raw quote',
    names(60, (n) => (n < 9 ? `&lt;${n}&gt;` : n === 50 ? 'He "Bo"' : `Cy ${n}`)),
  ),
  users(
    'four names hold references, and none is raw',
    names(40, (n) => (n % 10 === 3 ? `R&amp;D ${n}` : `Bo ${n}`)),
  ),
  users(
    'a raw & stands behind the first thousand rows',
    names(1_100, (n) => (n === 1_090 ? 'Tom & Jo' : n % 20 === 1 ? `R&amp;D ${n}` : `Bo ${n}`)),
  ),
  users(
    'two names begin with a blank',
    names(40, (n) => (n % 30 === 3 ? ` Bo ${n}` : `Bo ${n}`)),
  ),
  users(
    'one name is a dash',
    names(40, (n) => (n === 9 ? '-' : `Bo ${n}`)),
  ),
  users(
    'three e-mail addresses are N/A',
    someUsers(40, (n) => (n % 15 === 2 ? { email: 'N/A' } : {})),
  ),
  users(
    'two biographies are empty',
    someUsers(40, (n) => ({ bio: n % 20 === 0 ? '' : `Bio ${n}`, location: 'Oslo' })),
    {
      profile: ({ bio }) => ({ bio: String(bio), location: 'Oslo' }),
    },
  ),
  users(
    'names are of fixed width, and one begins with a blank',
    names(40, (n) => (n === 7 ? ` ${WIDE(n).slice(1)}` : WIDE(n))),
  ),
  users(
    'four names and no address are empty',
    names(40, (n) => (n % 10 === 0 ? '' : `Bo ${n}`)),
  ),
  products(
    'the label of a category is --',
    someProducts(40, (n) => ({ category: n % 3 === 0 ? '--' : 'Tools' })),
  ),
  products(
    'the label of a category is N/A',
    someProducts(40, (n) => ({ category: n % 4 === 0 ? 'N/A' : 'Toys' })),
  ),
  products(
    'categories hold references as they are',
    someProducts(40, (n) => ({ category: n % 2 === 0 ? 'R&amp;D' : 'Toys' })),
  ),
  products(
    'two categories differ by a blank',
    someProducts(40, (n) => ({ category: n % 2 === 0 ? 'Tools' : 'Tools ' })),
  ),
  products(
    'one description shows how a reference is written',
    someProducts(40, (n) => (n === 4 ? { description: 'write &lt;b&gt;' } : {})),
  ),

  users(
    'correct: every name is escaped',
    names(40, (n) => (n % 3 === 0 ? `R&amp;D ${n} &lt;x&gt;` : `Bo ${n}`)),
    {
      isPlain: true,
      truth: ({ name }) => ({ name: unescaped(name) }),
    },
  ),
  users(
    'correct: names are raw',
    names(40, (n) => `a & b < "c" ${n}`),
    { isPlain: true },
  ),
  users('correct: names are of fixed width', names(40, WIDE), {
    isPlain: true,
    truth: ({ name }) => ({ name: String(name).trim() }),
  }),
  users(
    'correct: empty texts mean nothing, of all fields alike',
    someUsers(40, (n) => ({
      email: n % 5 === 0 ? '' : `u${n}@mail.example`,
      bio: n === 0 ? '' : 'Bio',
      location: 'Oslo',
    })),
    {
      isPlain: true,
      truth: ({ email }) => ({ email: email === '' ? null : String(email) }),
      profile: ({ bio }) => ({ bio: bio === '' ? null : String(bio), location: 'Oslo' }),
    },
  ),
  users(
    'correct: eight names are a dash',
    names(40, (n) => (n % 5 === 1 ? '-' : `Bo ${n}`)),
    {
      isPlain: true,
      truth: ({ name }) => ({ name: name === '-' ? null : String(name) }),
    },
  ),
  products('correct: plain labels', someProducts(40), { isPlain: true }),
]);
