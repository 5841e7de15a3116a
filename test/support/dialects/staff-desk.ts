// A service of no known dialect: ranges of rows by `from` and `upto`, ids with zeros in front, errors as 200 with `rc`.

import type { HttpReply } from '../upstream/scripted-upstream.ts';
import type { Dialect } from './serve.ts';
import { whole } from './serve.ts';

type Row = Readonly<Record<string, string>>;

const FIRST = ['Jane', 'Bob', 'Zoë', 'Ömer', 'Ana', 'Li', 'Igor'];
const LAST = ['Doe', "O'Neil", 'Straße', 'Núñez', 'Abt', 'van Dyk'];
const two = (n: number) => String(n).padStart(2, '0');
const nameOf = ({ FULL_NM = '' }: Row) => FULL_NM;

/** 93 people in the order of their names, not of their numbers. */
export const STAFF: readonly Row[] = Array.from({ length: 93 }, (_, n): Row => {
  return {
    STAFF_NO: String(n * 7 + 123).padStart(6, '0'),
    FULL_NM: `${LAST[n % 6]}, ${FIRST[n % 7]}`,
    MAIL: n % 11 === 5 ? '-' : `u${n}@corp.example`,
    HIRED: `${two(((n * 5) % 28) + 1)}.${two(((n * 3) % 12) + 1)}.${2001 + (n % 24)} ${two(n % 24)}:${two((n * 7) % 60)}`,
    SALARY_CT: String(123_450 + n * 1111),
    DEPT: ['FIN', 'OPS', 'R+D'][n % 3] ?? '',
  };
}).sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));

/** 61 goods; their prices are unique, too. */
const GOODS: readonly Row[] = Array.from({ length: 61 }, (_, n) => ({
  GOODS_CD: `G-${1000 + n * 3}`,
  LABEL: `Thing no. ${n + 1}`,
  REMARK: n % 5 === 0 ? 'n/a' : `Remark on ${n + 1}`,
  UNIT_PRICE_CT: String(((n * 337) % 20_000) + 5),
  RANGE: ['01', '02', '09'][n % 3] ?? '',
}));

/**
 * A service of ranges of rows, numbered from 1, the last one included, at most 40 at once. Ids have zeros in front, no column
 * has a usual name, and an error has the status 200.
 */
export const staffDesk: Dialect = ({ path, query, headers }): HttpReply => {
  if (headers['x-desk'] !== 'open-sesame') return { body: { rc: 3, txt: 'desk closed' } };
  const list = (rows: readonly Row[], name: string): HttpReply => {
    const from = whole(query, 'from', 1);
    const upto = Math.min(whole(query, 'upto', from + 24), from + 39);
    if (from < 1 || upto < from) return { body: { rc: 9, txt: 'bad range' } };
    return { body: { hits: rows.length, [name]: rows.slice(from - 1, upto) } };
  };
  if (path === '/staff/find.do') return list(STAFF, 'staffMembers');
  if (path === '/goods/find.do') return list(GOODS, 'goodsList');
  const one = STAFF.find(({ STAFF_NO }) => STAFF_NO === query.get('no'));
  if (path === '/staff/one.do' && one !== undefined) return { body: { staffMember: one } };
  return { body: { rc: 17, txt: 'no such' } };
};
