import { migration } from '../../../../src/config/schema/migration.ts';
import type { ListQuery, Query } from '../../../../src/contract/query.ts';
import { resources } from '../../../support/reference.ts';
import { type CanonicalRecord, detailBody, listBody } from '../../../../src/contract/response-body.ts';
import { fault } from '../../../../src/kernel/errors/fault.ts';
import type { Comparison } from '../../../../src/migration/compare/comparison.ts';
import { createDifferenceSampler } from '../../../../src/migration/compare/sample.ts';
import { createCompareEdgeCases } from '../../../../src/migration/walk/compare-edge-cases.ts';
import type { SourceAnswer, SourceHandler } from '../../../../src/pipeline/stages/call.ts';
import { overBudget } from '../../../../src/pipeline/reading/windows/scan-faults.ts';
import { createVirtualTime } from '../../../support/time/virtual-time.ts';

const users = resources.users;
const model = Array.from({ length: 130 }, (_, n): CanonicalRecord => {
  const profile = { 'profile.bio': null, 'profile.location': null, 'profile.avatar_url': null };
  return { id: `user_${n + 1}`, name: `Person ${n % 7}`, email: null, created_at: null, ...profile };
});

/** What a service does in place of the right answer; `undefined`: that. */
type Spoil = (query: Query, right: () => SourceAnswer) => SourceAnswer | Error | undefined;

function answerOf(query: Query): SourceAnswer {
  const made = { storedAt: 0, freshSeconds: 30, tags: [] };
  if (query.kind === 'get') {
    const found = model.find(({ id }) => id === query.id);
    if (found === undefined) return { found: false, tags: [] };
    return { found: true, body: Buffer.from(detailBody(users, found)), ...made };
  }
  const { sort, page, limit } = query;
  const sign = sort?.descending === true ? -1 : 1;
  const nameOf = (one: CanonicalRecord) => (sort?.field === 'name' ? String(one['name']) : '');
  const rows = model.toSorted((a, b) => sign * nameOf(a).localeCompare(nameOf(b)));
  const data = rows.slice((page - 1) * limit, page * limit);
  return {
    found: true,
    body: Buffer.from(listBody(users, data, { total: rows.length, page, limit })),
    ...made,
  };
}

const sourceOf =
  (spoil: Spoil): SourceHandler =>
  ({ query, usage }) => {
    usage.upstreamCalls += 1;
    const answer = spoil(query, () => answerOf(query)) ?? answerOf(query);
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };

/** Asks the edges of a right service and of one that is spoilt. */
async function probe(next: Spoil, { legacy = () => undefined }: { readonly legacy?: Spoil } = {}) {
  const time = createVirtualTime();
  const comparisons: Comparison[] = [];
  const compareEdgeCases = createCompareEdgeCases({
    ...{ resource: users, config: migration.parse({ to: 'x', shadow: { maxRps: 1_000 } }), clock: time },
    sources: { legacy: sourceOf(legacy), new: sourceOf(next) },
    keptRules: () => [],
    toSample: createDifferenceSampler({ secret: 'key', showMask: [] }),
    counts: { compared: (comparison) => void comparisons.push(comparison) },
    wait: (ms) => time.sleep(ms),
  });
  const run = { signal: new AbortController().signal, progress: () => undefined };
  return { ...(await time.run(compareEdgeCases(run))), comparisons };
}

const isList = (query: Query): query is ListQuery => query.kind === 'list';

describe('the edge cases of two sources', () => {
  it('finds nothing where both answer alike, and counts each edge as evidence', async () => {
    const found = await probe(() => undefined);
    expect(found).toMatchObject({ asked: 19, different: 0, named: [], refused: [] });
    expect(found.comparisons).toHaveLength(19);
    expect(new Set(found.comparisons.map(({ verdict }) => verdict))).toEqual(new Set(['match']));
  });

  it.each([
    [
      'gives the last page again past the end',
      'page past the end',
      2,
      (query, right) => {
        if (!isList(query) || query.page * query.limit < 130 + query.limit) return undefined;
        return { ...right(), ...answerOf({ ...query, page: Math.ceil(130 / query.limit) }) };
      },
    ],
    [
      'gives at most 50 records a page',
      'limit=100',
      2,
      (query) => (isList(query) && query.limit > 50 ? answerOf({ ...query, limit: 50 }) : undefined),
    ],
    [
      'fails for an id that it does not have',
      'unknown id user_999999999999',
      2,
      (query) =>
        query.kind === 'get' && model.every(({ id }) => id !== query.id)
          ? fault('upstream_error')
          : undefined,
    ],
    [
      'does not sort downwards',
      'sort=-name',
      1,
      (query) =>
        isList(query) && query.sort?.descending === true && query.sort.field === 'name'
          ? answerOf({ ...query, sort: { ...query.sort, descending: false } })
          : undefined,
    ],
  ] satisfies [string, string, number, Spoil][])(
    'names the edge where the new source %s',
    async (_what, edge, many, spoil) => {
      const { different, named } = await probe(spoil);
      expect(named).toContain(edge);
      expect(different).toBe(many);
    },
  );

  it('reports the kinds of question that only the new source cannot answer, for the gate', async () => {
    const spoil: Spoil = (query) =>
      isList(query) && query.sort?.field === 'email' ? overBudget('rows') : undefined;
    expect(await probe(spoil)).toMatchObject({
      refused: [
        { operation: 'users.list', kind: 'sort=email' },
        { operation: 'users.list', kind: 'sort=-email' },
      ],
      named: ['sort=email', 'sort=-email'],
    });
    expect(await probe(spoil, { legacy: spoil })).toMatchObject({
      asked: 17,
      different: 0,
      refused: [],
    });
  });

  it('counts no failure that was gone when it was asked again', async () => {
    let failures = 0;
    const found = await probe(() => ((failures += 1) === 5 ? fault('upstream_error') : undefined));
    expect(found).toMatchObject({ asked: 19, different: 0 });
  });
});
