import { draftRows, type DraftRow } from './draft-row.ts';
import { someProducts, someUsers } from './small-service.ts';

const shuffled = <T>(rows: readonly T[]): readonly T[] =>
  rows.map((_, n) => rows[(n * 7 + 3) % rows.length]!);

const users = (name: string, more: Partial<DraftRow> = {}): DraftRow => ({
  ...{ name: `edit: ${name}`, resource: 'users', rows: someUsers(40), isPlain: false },
  ...more,
});

/** Drafts with something to edit, which says where: every row looks for the place of each EDIT. */
export const editRows = draftRows([
  users('about an order that the draft does not have', { rows: shuffled(someUsers(40)) }),
  users('about an order of pages without a total', {
    rows: shuffled(someUsers(60)),
    page: (rows) => ({ body: rows }),
  }),
  users('about an order, in an envelope', {
    rows: shuffled(someUsers(30)),
    page: (rows) => ({ body: { response: { rows } } }),
  }),
  users('about an order, of products', {
    resource: 'products',
    rows: shuffled(someProducts(40)),
  }),
  users('about a field and an order at once', {
    rows: shuffled(someUsers(40, (n) => (n === 3 ? { name: '-' } : {}))),
  }),
  users('about rows that are no records', {
    rows: someUsers(40, (n) =>
      n % 9 === 4 ? { name: undefined, email: undefined, created_at: undefined } : {},
    ),
  }),
  users('correct: nothing is to edit', { isPlain: true }),
]);
