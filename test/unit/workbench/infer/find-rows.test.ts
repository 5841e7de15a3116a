import { resources } from '../../../support/reference.ts';
import { readJson } from '../../../../src/kernel/json/json.ts';
import { findRows, noRowsError } from '../../../../src/workbench/infer/detect/find-rows.ts';

const pathOf = (document: unknown) =>
  findRows(readJson(JSON.stringify(document)), resources.users, false)[0]?.path;
const users = [
  { id: 1, name: 'a', roles: [{ id: 1 }, { id: 2 }, { id: 3 }] },
  { id: 2, name: 'b', roles: [] },
];

describe('the list of records', () => {
  it.each([
    ['of a bare list', users, ''],
    ['in an envelope', { total: 2, data: users }, 'data'],
    [
      'deep in one',
      { status: 'ok', response: { page: { 'user list': users } } },
      'response.page."user list"',
    ],
    [
      'beside other lists',
      {
        links: [
          { rel: 'self', href: '/' },
          { rel: 'next', href: '/2' },
        ],
        results: users,
      },
      'results',
    ],
    [
      'named like the resource, beside a longer one',
      { warnings: [{ code: 1 }, { code: 2 }, { code: 3 }], users },
      'users',
    ],
  ])('%s is found, not one within a record', (_name, document, path) => {
    expect(pathOf(document)).toBe(path);
  });

  it('is found in a map of records by their ids, each with its key', () => {
    const map = readJson('{"7":{"name":"a","mail":"b"},"9":{"name":"c","mail":"d"}}');
    const [found] = findRows(map, resources.users, false);
    expect([found?.path, found?.isMap, found?.rows.map((row) => row['$key'])]).toEqual([
      '',
      true,
      ['7', '9'],
    ]);
  });

  it('is explained where it is missing: an empty list, or no list at all', () => {
    expect(noRowsError(readJson('[]')).message).toContain('empty');
    expect(noRowsError(readJson('{"ok":true}')).message).toContain('no list');
  });
});
