import { isDeepStrictEqual } from 'node:util';
import { compareStores } from '../../support/migration/stores/differing-stores.ts';
import { type Planted, planted } from '../../support/migration/planted-differences.ts';

const decided = { owner: 'ana', reason: 'agreed', until: '2099-01-01' };

/** What is not found as it should be: under its path and kind, and as one that is ignored where a rule says so. */
async function problemsOf(one: Planted, operation: 'list' | 'get'): Promise<readonly string[]> {
  const expected = one.found[operation];
  if (expected === null) return [];
  const said = (found: unknown) => `${one.kind}, ${operation}: ${JSON.stringify(found)}`;
  const found = await compareStores(one, operation);
  if (typeof expected === 'string') return found.verdict === expected ? [] : [said(found)];
  const differing = {
    verdict: expected.length === 0 ? 'match' : 'mismatch',
    differences: expected,
    ignored: [],
  };
  if (!isDeepStrictEqual(found, differing)) return [said(found)];
  if (expected.length === 0) return [];
  const ignore = expected.map((text) => ({ path: text.split('|')[0], ...decided }));
  const allowed = await compareStores(one, operation, { ignore });
  const all = { verdict: 'ignored', differences: [], ignored: expected };
  return isDeepStrictEqual(allowed, all) ? [] : [said(allowed)];
}

/** Kinds all of whose differences are as they should be, of all that answers of this operation can have. */
export async function findKinds(operation: 'list' | 'get') {
  const byKind = Map.groupBy(
    planted.filter(({ found }) => found[operation] !== null),
    ({ kind }) => kind,
  );
  const problems: string[] = [];
  let found = 0;
  for (const all of byKind.values()) {
    const own = (await Promise.all(all.map((one) => problemsOf(one, operation)))).flat();
    problems.push(...own);
    if (own.length === 0) found += 1;
  }
  return { text: `${String(found)} of ${String(byKind.size)}`, problems };
}
