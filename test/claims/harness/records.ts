import type { ModelRecord } from '../../support/model/contract-model.ts';
import type { Traits } from './traits.ts';

/** A record of a service: what v1 makes of it, and what only the service knows. */
export type StoredRecord = {
  readonly record: ModelRecord;
  readonly profile: Readonly<Record<'bio' | 'location' | 'avatar_url', string | null>>;
  /** Such a row is no record. */
  readonly deleted: boolean;
};

/** Categories that a careless filter takes for one another. */
const CATEGORIES = [
  'Tools',
  'tools',
  'TOOLS',
  'Tool',
  'Tools & More',
  'Café',
  'Cafe',
  'Toys',
  'Garden',
  "Kid's",
  '10',
  '010',
];

const NAMES = ['Ann', 'ann', 'ANN', 'Bo', 'Ärger', 'Zoë', 'Zoe', 'a b', 'ab', '9 lives', '10 lives', 'Émile'];

/** A number from 0 to below `bound`, the same for the same two. */
export function drawn(seed: number, bound: number): number {
  let state = Math.imul(seed + 0x6d2b79f5, 0x9e3779b1);
  state = Math.imul(state ^ (state >>> 15), state | 1);
  state ^= state + Math.imul(state ^ (state >>> 7), state | 61);
  return ((state ^ (state >>> 14)) >>> 0) % bound;
}

const pick = <T>(values: readonly T[], seed: number): T => values[drawn(seed, values.length)]!;

function nativeId({ ids }: Traits, n: number): string {
  return ids === 'number' ? String(n * 3 + 5) : `k${String(n * 7).padStart(4, '0')}-${'xyzab'[n % 5]}`;
}

function priceOf(n: number): string | null {
  if (n % 9 === 4) return null;
  if (n % 17 === 3) return '0.00';
  return `${drawn(n * 5 + 2, 10 ** ((n % 4) + 1))}.${String(drawn(n * 7 + 3, 100)).padStart(2, '0')}`;
}

function momentOf(n: number): string | null {
  if (n % 11 === 5) return null;
  const ms = Date.UTC(1965 + drawn(n, 60), drawn(n + 1, 12), 1 + drawn(n + 2, 28), drawn(n + 3, 24));
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** The record `n` of a service; the same for the same number. */
function inventRecord(traits: Traits, n: number): StoredRecord {
  const native = nativeId(traits, n);
  const deleted = traits.marks && n % 6 === 1;
  const profile = {
    bio: n % 3 === 0 ? null : `Bio ${n}`,
    location: pick(['Oslo', 'Rome'], n),
    avatar_url: null,
  };
  if (traits.resource === 'users') {
    const email = n % 8 === 3 ? null : `${pick(['ann', 'Bo', 'cy', 'DI'], n)}.${drawn(n, 60)}@mail.example`;
    const name = n % 13 === 7 ? null : pick(NAMES, n * 3 + 1);
    return { record: { id: `user_${native}`, name, email, created_at: momentOf(n) }, profile, deleted };
  }
  const record = {
    id: `prod_${native}`,
    name: `${pick(NAMES, n)} ${n % 7}`,
    description: n % 5 === 0 ? null : `Made of ${pick(NAMES, n + 9)}.`,
    price: priceOf(n),
    category: n % 10 === 9 ? null : pick(CATEGORIES, n * 11 + 5),
  };
  return { record, profile, deleted };
}

/** The records of a service before anybody writes, by ascending id. */
export function inventRecords(traits: Traits): readonly StoredRecord[] {
  return Array.from({ length: traits.count }, (_, n) => inventRecord(traits, n));
}

/** The same records after a number of writes: new ones, emptied fields, changed fields, deleted ones. */
export function writeRecords(
  traits: Traits,
  records: readonly StoredRecord[],
  writes: number,
): StoredRecord[] {
  const written = [...records];
  for (let n = 0; n < writes; n += 1) {
    const at = drawn(n * 13 + 7, written.length);
    const here = written[at]!;
    const other = inventRecord(traits, 1_000 + n);
    const { id } = here.record;
    if (n % 4 === 0) written.push(other);
    else if (n % 8 === 1) written.splice(at, 1);
    else if (n % 4 === 2) written[at] = { ...here, record: { ...other.record, id } };
    else written[at] = { ...here, record: emptied(here.record, n) };
  }
  return written;
}

/** A record of which one field has lost its value. */
function emptied(record: ModelRecord, n: number): ModelRecord {
  const fields = Object.keys(record).filter((field) => field !== 'id');
  return { ...record, [fields[n % fields.length]!]: null };
}
