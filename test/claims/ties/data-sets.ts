import type { ModelRecord } from '../../support/model/contract-model.ts';
import { drawn } from '../harness/records.ts';

const ROWS = 143;

/** A record without a tie in any column. */
function untied(n: number): ModelRecord {
  const minute = String(n % 60).padStart(2, '0');
  const hour = String(Math.floor(n / 60)).padStart(2, '0');
  return {
    id: `user_${n + 1}`,
    name: `Person ${String((n * 37) % ROWS).padStart(3, '0')}`,
    email: `p${String((n * 61) % ROWS).padStart(3, '0')}@mail.example`,
    created_at: `2024-03-${String(1 + (n % 28)).padStart(2, '0')}T${hour}:${minute}:00Z`,
  };
}

type Tied = 'name' | 'email' | 'created_at';

const VALUES: Readonly<Record<Tied, (n: number) => string | null>> = {
  // Composed and decomposed, which are equal after NFC.
  name: (n) => (n % 5 === 4 ? null : ['Zoë', 'Person 050', 'Person 100', 'Åsa'][n % 5]!),
  email: (n) => (n % 6 === 5 ? null : `team${n % 5}@mail.example`),
  created_at: (n) => (n % 7 === 6 ? null : `2024-03-${String(10 + (n % 4)).padStart(2, '0')}T01:00:00Z`),
};

/** Gives groups of rows one value each: `groups` groups of `size` rows, at places that look drawn. */
function tie(rows: readonly ModelRecord[], field: Tied, groups: number, size: number, seed: number) {
  const tied = [...rows];
  for (let group = 0; group < groups; group += 1)
    for (let member = 0; member < size; member += 1) {
      const at = drawn(seed + group * 101 + member * 7, rows.length);
      const value = VALUES[field](group + seed);
      const spelled = member % 2 === 0 ? value : (value?.normalize('NFD') ?? null);
      tied[at] = { ...tied[at]!, [field]: spelled };
    }
  return tied;
}

/** Makes the rows with the numbers 49 and 50, in the order of a field, equal in it: they stand at the border of a page. */
function tieAtBorder(rows: readonly ModelRecord[], field: Tied): readonly ModelRecord[] {
  const sorted = rows.toSorted((a, b) => (String(a[field]) < String(b[field]) ? -1 : 1));
  const [last, first] = [sorted[49]!, sorted[50]!];
  return rows.map((row) => (row === first ? { ...row, [field]: last[field]! } : row));
}

const plain = Array.from({ length: ROWS }, (_, n) => untied(n));

/** The data of a service when a draft is made of it: nothing ties. */
export const untiedRows: readonly ModelRecord[] = plain;

const FIELDS: readonly Tied[] = ['name', 'email', 'created_at'];

/** The data that it has later: twenty sets with ties of every size, in each column. */
export const tiedSets: readonly (readonly ModelRecord[])[] = [
  ...FIELDS.map((field) => tieAtBorder(plain, field)),
  ...FIELDS.map((field, n) => tie(plain, field, 1, 2, n)),
  ...FIELDS.map((field, n) => tie(plain, field, 4, 3, n + 3)),
  ...FIELDS.map((field, n) => tie(plain, field, 6, 12, n + 6)),
  ...FIELDS.map((field, n) => tie(plain, field, 3, 60, n + 9)),
  ...FIELDS.map((field, n) => tie(plain, field, 1, 400, n + 12)),
  FIELDS.reduce<readonly ModelRecord[]>((rows, field, n) => tie(rows, field, 5, 9, n + 15), plain),
  plain.map((row) => ({ ...row, name: null, email: 'all@mail.example', created_at: '2024-01-01T00:00:00Z' })),
];
