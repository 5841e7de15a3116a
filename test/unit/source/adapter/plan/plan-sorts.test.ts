import type { ListPlan } from '../../../../../src/source/adapter/plan/plan.ts';
import { adapterOf, queryOf } from '../../../../support/pipeline/source-text.ts';

const users = (order: string, columns: string) => `
resources:
  users:
    id: { kind: number }
    list:
      request: { path: /users, query: { from: '{offset}', n: '{limit}' } }
      window: { kind: offset, sizeMax: 40 }
      total: { at: hits }
      items: rows
      order: ${order}
      sort: { query: { sort: '{column} {direction}' }, ascending: up, descending: down, columns: { ${columns} } }
      map: { id: id, name: n, email: m, created_at: { from: at, as: [iso8601] } }
    get:
      request: { path: '/users/{id}' }
      item: ''
      map: { id: id, name: n, email: m, created_at: { from: at, as: [iso8601] }, profile.bio: b, profile.location: l, profile.avatar_url: a }
`;
const idColumn = 'id: { column: ID }';
const nameUp = 'name: { column: NAME, directions: [ascending] }';

function planOf(order: string, columns: string, sort: string, off: readonly string[] = []): ListPlan {
  return adapterOf('users', users(order, columns)).list.plan(
    queryOf('users', sort === '' ? '' : `sort=${sort}`),
    new Set(off),
  );
}

/** Kind, sort parameter, the order that is made or checked here, and the claim it rests on. */
function describePlan(plan: ListPlan): string {
  if (plan.kind === 'nothing') return 'nothing';
  const asked = /sort=([^&]*)/.exec(
    plan.request({ firstRow: 0, size: 40, variables: { offset: 0, limit: 40 } }).target,
  )?.[1];
  const sort = plan.sort === null ? 'as it comes' : `${plan.sort.descending ? '-' : ''}${plan.sort.field}`;
  return [plan.kind, decodeURIComponent(asked ?? 'unsorted'), sort, ...plan.dependsOn].join(', ');
}

describe('the order of a list, by what a source can', () => {
  it.each([
    ['id', idColumn, '', 'page, ID up, id, sort.id.ascending'],
    ['id', idColumn, 'id', 'page, ID up, id, sort.id.ascending'],
    ['id', idColumn, '-id', 'page, ID down, -id, sort.id.descending'],
    ['id', '', '-id', 'scan, unsorted, -id'],
    ['id', nameUp, 'name', 'page, NAME up, name, sort.name.ascending'],
    ['id', nameUp, '-name', 'scan, unsorted, -name'],
    ['id', nameUp, 'email', 'scan, unsorted, email'],
    ['unknown', idColumn, '', 'page, ID up, id, sort.id.ascending'],
    ['unknown', '', '', 'scan, unsorted, id'],
    ['unknown', idColumn, 'id', 'page, ID up, id, sort.id.ascending'],
    ['source', '', '', 'page, unsorted, as it comes, order'],
    ['source', '', 'id', 'scan, unsorted, id'],
    ['source', idColumn, 'id', 'page, ID up, id, sort.id.ascending'],
  ])('order %s, columns { %s }, sort %j: %s', (order, columns, sort, expected) => {
    expect(describePlan(planOf(order, columns, sort))).toBe(expected);
  });

  it.each([
    ['id', idColumn, '', ['order'], 'page, ID up, id, sort.id.ascending'],
    ['id', '', '', ['order'], 'scan, unsorted, id'],
    ['id', idColumn, '', ['order', 'sort.id.ascending'], 'scan, unsorted, id'],
    ['source', '', '', ['order'], 'scan, unsorted, id'],
    ['source', idColumn, '', ['order'], 'page, ID up, id, sort.id.ascending'],
    ['id', nameUp, 'name', ['sort.name.ascending'], 'scan, unsorted, name'],
    ['id', nameUp, 'name', ['sort.id.descending', 'order'], 'page, NAME up, name, sort.name.ascending'],
    // Both directions rest on one comparison.
    ['id', nameUp, 'name', ['sort.name.descending'], 'scan, unsorted, name'],
    ['id', idColumn, '-id', ['sort.id.ascending'], 'scan, unsorted, -id'],
  ])('order %s, columns { %s }, sort %j, without %j: %s', (order, columns, sort, off, expected) => {
    expect(describePlan(planOf(order, columns, sort, off))).toBe(expected);
  });
});
