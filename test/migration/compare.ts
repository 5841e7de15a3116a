import { isDeepStrictEqual } from 'node:util';
import { compareUnderWrites, type UnderWrites } from '../support/migration/compare-under-writes.ts';
import { compareStores } from '../support/migration/stores/differing-stores.ts';
import { listSituations } from '../support/migration/situations-of-lists.ts';
import { openWalk } from '../support/migration/open-walk.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';
import { findKinds } from './harness/find-planted.ts';

const NONE: ReadonlySet<number> = new Set();
const BAD = new Set(Array.from({ length: 20 }, (_, index) => 1 + index * index));
const HOLES = new Set([7, 5_000, 5_001, 20_000, 33_333, 49_999, 50_000]);

/** A row over equal stores: at most so many false differences, and calls beside the first ones for each comparison. */
function equalStores(
  id: string,
  name: string,
  of: Pick<UnderWrites, 'kind' | 'comparisons'>,
  most: { readonly false: number; readonly further: number },
): BenchRow {
  return {
    ...{ id, name, fast: false },
    async run() {
      const found = await compareUnderWrites({ ...of, writesPerSecond: 5, spoilt: NONE });
      const { mismatch = 0, inconclusive = 0 } = found.verdicts;
      const further = found.furtherCalls.toFixed(3);
      return promised(
        mismatch <= most.false && inconclusive <= of.comparisons / 10 && found.furtherCalls <= most.further,
        { false: String(mismatch), inconclusive: String(inconclusive), further },
      );
    },
  };
}

const records = equalStores(
  'compare-1',
  'equal stores, 5 writes a second that lag by 1.7 s at worst, 50,000 single records: at most 1 false difference, 0.3 further calls',
  { kind: 'get', comparisons: 50_000 },
  { false: 1, further: 0.3 },
);

const pages = equalStores(
  'compare-2',
  'the same with 3,000 pages of lists: no false difference, 0.6 further calls',
  { kind: 'list', comparisons: 3_000 },
  { false: 0, further: 0.6 },
);

const bad: BenchRow = {
  id: 'compare-3',
  name: '20 bad records among 4,000 that are written to: every one that was compared is found, and no other',
  async run() {
    const found = await compareUnderWrites({
      kind: 'get',
      comparisons: 50_000,
      writesPerSecond: 5,
      spoilt: BAD,
    });
    const wrong = [...BAD].map((number) => `user_${number}`).filter((id) => found.asked.has(id));
    const right = wrong.filter((id) => found.mismatched.has(id));
    return promised(wrong.length === 20 && right.length === 20 && found.mismatched.size === 20, {
      found: `${right.length} of ${wrong.length}`,
      extra: String(found.mismatched.size - right.length),
    });
  },
};

const walk: BenchRow = {
  id: 'compare-4',
  name: 'a walk of 50,000 records at 2 calls a second finds the 7 that the new store lacks, and no other',
  async run() {
    const spoil = (number: number, name: string) => (HOLES.has(number) ? undefined : name);
    const { time, run } = openWalk(50_000, spoil, { shadow: { maxRps: 2 } });
    const found = await time.run(run());
    const hours = (time.monotonic() / 3_600_000).toFixed(1);
    return promised(found.records === 50_000 && found.differences === 7 && found.unknown === 0, {
      found: String(found.differences),
      unknown: String(found.unknown),
      'virtual hours': hours,
    });
  },
};

const kinds: BenchRow = {
  id: 'compare-5',
  name: '24 kinds of differences, in lists and single records: each is found under its path and kind, ignored where a rule says so, or none where v1 does not show it',
  async run() {
    const [list, get] = [await findKinds('list'), await findKinds('get')];
    const problems = [...list.problems, ...get.problems];
    return promised(problems.length === 0, {
      'kinds in lists': list.text,
      'kinds in single records': get.text,
      ...(problems.length > 0 && { problems: problems.join('; ') }),
    });
  },
};

const lists: BenchRow = {
  id: 'compare-6',
  name: 'what becomes of lists, of a tie in another order to a total that is an estimate: each is told what it is',
  async run() {
    const wrong: string[] = [];
    for (const { name, found, compare, ...differing } of listSituations) {
      const told = await compareStores(differing, 'list', compare);
      if (!isDeepStrictEqual(told, found)) wrong.push(`${name}: ${JSON.stringify(told)}`);
    }
    const [all, right] = [listSituations.length, listSituations.length - wrong.length];
    return promised(wrong.length === 0, {
      right: `${String(right)} of ${String(all)}`,
      ...(right < all && { wrong: wrong.join('; ') }),
    });
  },
};

export const compareRows: readonly BenchRow[] = [records, pages, bad, walk, kinds, lists];
