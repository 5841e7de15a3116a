import type { ResourceName } from '../../support/reference.ts';
/** What a correct service does, one choice per line; its source file says just that. */
export type Traits = {
  readonly resource: ResourceName;
  readonly window: 'offset' | 'page' | 'cursor' | 'continue' | 'link' | 'keyset' | 'none';
  readonly base: 0 | 1;
  /** The most rows of a call. Pages come in this size and in 10. */
  readonly sizeMax: number;
  /** Where the number of rows stands. */
  readonly total: 'body' | 'header' | 'count' | 'none';
  readonly counts: 'filtered' | 'all';
  /** Whether it filters by category and price. A service of users never does. */
  readonly filters: boolean;
  /** Whether it sorts, in the contract's order, by every column that the contract has. */
  readonly sort: boolean;
  /** Order without a sort. `own`: one of its own, always the same. */
  readonly order: 'id' | 'own' | 'unknown';
  readonly pastEnd: 'empty' | 404 | 'last';
  /** Whether a reply repeats where it starts, and its size. */
  readonly echo: boolean;
  readonly ids: 'number' | 'text';
  /** Whether some rows are marked as deleted; these are no records. */
  readonly marks: boolean;
  /** Whether the list lacks a field that only the view of one record has. */
  readonly hydrate: boolean;
  /** Whether it asks for a key. */
  readonly key: boolean;
  /** Whether pages are read from remembered cursors. */
  readonly checkpoints: boolean;
  /** How many records it has. */
  readonly count: number;
  /** How the next page is named in the header `Next-Page`, in place of a list of links in `Link`. */
  readonly nextAddress?: 'url' | 'path' | 'query';
  /** What stands in `errors` of a good reply, where the service speaks GraphQL. */
  readonly graphql?: 'nothing' | 'null' | 'an empty list';
  /** Why only a person can write the file of this service, if so: then no draft is tried. */
  readonly byHand?: string;
};

const usual: Traits = {
  resource: 'products',
  window: 'offset',
  base: 0,
  sizeMax: 25,
  total: 'body',
  counts: 'filtered',
  filters: true,
  sort: false,
  order: 'id',
  pastEnd: 'empty',
  echo: false,
  ids: 'number',
  marks: false,
  hydrate: false,
  key: false,
  checkpoints: false,
  count: 137,
};

const users: Traits = { ...usual, resource: 'users', filters: false, sort: true };

const services = {
  'offset products': usual,
  'page products': { ...usual, window: 'page', base: 1, total: 'header' },
  'sorted products': { ...usual, order: 'unknown', sort: true },
  'counted products': { ...usual, window: 'page', base: 1, total: 'count' },
  'cursor products': { ...usual, window: 'cursor' },
  'continue products': { ...usual, window: 'continue' },
  'checkpoint products': { ...usual, window: 'cursor', checkpoints: true },
  'link products': { ...usual, window: 'link', total: 'header' },
  'keyset products': { ...usual, window: 'keyset' },
  'whole products': { ...usual, window: 'none', total: 'none', filters: true },
  'uncounted products': { ...usual, total: 'none' },
  'loosely counted products': { ...usual, counts: 'all' },
  'marked products': {
    ...usual,
    marks: true,
    byHand: 'whether a marked row is a record is for its owner to say',
  },
  'echoing products': { ...usual, echo: true },
  'own order products': { ...usual, order: 'own' },
  'unfiltered products': { ...usual, filters: false },
  'exact fit products': { ...usual, count: 100 },
  'text id products': { ...usual, ids: 'text' },
  'hydrated products': {
    ...usual,
    hydrate: true,
    filters: false,
    byHand: 'no reply of the list shows that there are descriptions',
  },
  'missing end products': { ...usual, window: 'page', base: 1, pastEnd: 404 },
  'last end products': { ...usual, window: 'page', base: 1, pastEnd: 'last' },
  'offset users': users,
  'page users': { ...users, window: 'page', base: 1, total: 'header' },
  'zero page users': { ...users, window: 'page', base: 0 },
  'one offset users': { ...users, base: 1 },
  'text id users': { ...users, ids: 'text' },
  'cursor users': { ...users, window: 'cursor', sort: false },
  'link users': { ...users, window: 'link', sort: false, total: 'none' },
  'url link users': { ...users, window: 'link', sort: false, total: 'none', nextAddress: 'url' },
  'path link users': { ...users, window: 'link', sort: false, total: 'none', nextAddress: 'path' },
  'query link users': { ...users, window: 'link', sort: false, total: 'none', nextAddress: 'query' },
  'url link products': { ...usual, window: 'link', total: 'header', nextAddress: 'url' },
  'unsorted users': { ...users, sort: false, order: 'unknown' },
  'uncounted users': { ...users, total: 'none' },
  'echoing users': { ...users, echo: true, window: 'page', base: 1 },
  'whole users': { ...users, window: 'none', total: 'none', sort: false },
  'keyed users': { ...users, key: true },
  'continue users': { ...users, window: 'continue', total: 'none', sort: false },
  'graphql users': { ...users, sort: false, graphql: 'nothing' },
  'graphql users with null errors': { ...users, sort: false, graphql: 'null' },
  'graphql users with empty errors': { ...users, sort: false, graphql: 'an empty list' },
} as const satisfies Readonly<Record<string, Traits>>;

/** The name of one of the services. */
export type ShapeName = keyof typeof services;

/** The services of the table, by name. Each is also a row of its own: correct, and found to be. */
export const shapes: Readonly<Record<ShapeName, Traits>> = services;
