import type { TableRow } from '../harness/row.ts';
import { fieldRow, type FieldStory, firstPages, pages } from './field-row.ts';
import type { StoredUser } from './field-service.ts';

/** The record without some keys. */
const without = ({ id, ...row }: StoredUser, ...keys: readonly string[]): StoredUser => ({
  id,
  ...Object.fromEntries(Object.entries(row).filter(([key]) => !keys.includes(key))),
});

const gone =
  (...keys: readonly string[]): FieldStory['sends'] =>
  (row, minute) =>
    minute < 0 ? row : without(row, ...keys);
const unreadable = (row: StoredUser): StoredUser => ({ ...row, since: 'Monday, 3 May' });
/** A number from 0 to 1 that a record keeps. */
const lot = ({ id }: StoredUser) => ((id * 2_654_435_761) % 1_000) / 1_000;

const lost = 'a field that is gone: ';
const present = 'a field that is as ever: ';

const faulty: readonly FieldStory[] = [
  { name: `${lost}a key is renamed`, sends: gone('mail'), alarms: ['email gone'] },
  {
    name: `${lost}a key is renamed, read by the general reader`,
    ...{ dialect: 'dropped', sends: gone('mail'), alarms: ['email gone'] },
  },
  { name: `${lost}a nested key`, dialect: 'nested', sends: gone('contact'), alarms: ['email gone'] },
  {
    name: `${lost}one of two keys that make a name`,
    ...{ dialect: 'joined', sends: gone('last'), alarms: ['name gone'] },
  },
  {
    name: `${lost}a key for which a default stands in`,
    ...{ dialect: 'defaulted', sends: gone('mail'), alarms: ['email gone'] },
  },
  { name: `${lost}an element of XML`, dialect: 'xml', sends: gone('mail'), alarms: ['email gone'] },
  { name: `${lost}a column of CSV`, dialect: 'csv', sends: gone('mail'), alarms: ['email gone'] },
  { name: `${lost}a list of cursors`, dialect: 'cursor', sends: gone('mail'), alarms: ['email gone'] },
  {
    name: `${lost}a key of the details of rows`,
    ...{ dialect: 'details', rows: 80, sends: gone('mail'), alarms: ['email gone'] },
  },
  {
    name: `${lost}another type in all records`,
    sends: (row, minute) => (minute < 0 ? row : unreadable(row)),
    alarms: ['created_at unreadable'],
  },
  {
    name: `${lost}another type in 40 % of the records`,
    sends: (row, minute) => (minute >= 0 && lot(row) < 0.4 ? unreadable(row) : row),
    alarms: ['created_at unreadable'],
  },
  {
    name: `${lost}two at once, and only first pages are read`,
    sends: (row, minute) => (minute < 0 ? row : without(unreadable(row), 'mail')),
    ...{ asks: () => pages([1]), alarms: ['created_at unreadable', 'email gone'] },
  },
  {
    name: `${lost}in the last rows only, which nobody asks for`,
    sends: (row, minute) => (minute >= 0 && row.id > 290 ? without(row, 'mail') : row),
    ...{ asks: () => pages([1]), alarms: ['email gone'] },
  },
  {
    name: `${lost}only single records are asked for`,
    sends: gone('mail'),
    ...{ asks: () => ['/v1/users/user_3', '/v1/users/user_9'], alarms: ['email gone'] },
  },
  {
    name: `${lost}a field that a third of the records never had`,
    sends: (row, minute) => (minute >= 0 || lot(row) < 0.33 ? without(row, 'mail') : row),
    alarms: ['email gone'],
  },
];

const correct: readonly FieldStory[] = [
  {
    name: `${present}35 % of the records never had it`,
    sends: (row) => (lot(row) < 0.35 ? without(row, 'mail') : row),
    ...{ asks: () => pages([1, 2, 5, 7]), alarms: [] },
  },
  {
    name: `${present}35 % of the records lack it, others each time`,
    sends: (row, _minute, random) => (random() < 0.35 ? without(row, 'mail') : row),
    ...{ asks: () => pages([1, 2, 3]), minutes: [20, 20], alarms: [] },
  },
  {
    name: `${present}few records have it`,
    sends: (row) => (lot(row) < 0.97 ? without(row, 'mail') : row),
    ...{ asks: () => pages([1, 3, 5]), alarms: [] },
  },
  {
    name: `${present}the list shrinks to 60 records`,
    sends: (row, minute) =>
      minute >= 0 && row.id > 60 ? undefined : lot(row) < 0.2 ? without(row, 'mail') : row,
    asks: (minute) => pages(minute < 0 ? [1, 5] : [1, 2]),
    alarms: [],
  },
  {
    name: `${present}an import adds records that mostly lack it, over hours`,
    sends: (row) => (row.id > 320 && lot(row) < 0.8 ? without(row, 'mail') : row),
    grown: (minute) => Math.max(0, Math.floor(minute)),
    ...{ minutes: [10, 180], alarms: [] },
  },
  {
    name: `${present}somebody walks to old records, which lack it`,
    rows: 2_000,
    sends: (row) => (row.id > 800 ? without(row, 'mail') : row),
    asks: (minute) => pages(minute < 0 ? [1, 2] : [Math.floor(minute * 2) + 10, Math.floor(minute * 2) + 11]),
    ...{ minutes: [6, 12], alarms: [] },
  },
  {
    name: `${present}a sort brings the records without it first`,
    sends: (row) => (row.id % 2 === 0 ? without(row, 'mail') : row),
    asks: (minute) =>
      minute < 0 ? firstPages() : ['/v1/users?limit=100&sort=email', '/v1/users?limit=100&sort=-email'],
    alarms: [],
  },
  {
    name: `${present}it is null in all records at once, which is a value`,
    sends: (row, minute) => (minute < 0 ? row : { ...row, mail: null }),
    alarms: [],
  },
];

/** Services of which a field is gone, and correct ones of the same shape. */
export const fieldRows: readonly TableRow[] = [...faulty, ...correct].map(fieldRow);
