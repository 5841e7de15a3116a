import { loadContract } from '../../../src/config/load-contract.ts';
import { type Problem, problemText } from '../../../src/config/yaml/problem.ts';

const contract = (resource: string) => `contract: 1
title: Shop
resources:
  ${resource}
`;

/** The problems of a contract file with this text below `resources`, as `check` prints them. */
function problemsOf(resource: string): readonly string[] {
  const problems: Problem[] = [];
  const text = contract(resource);
  loadContract({ file: 'contract.yaml', text }, { variables: {}, readFile: () => '' }, problems);
  return problems.map(problemText);
}

const orders = (entries: string) => `orders: { singular: order, id: { prefix: ord }, ${entries} }`;

describe('a contract file', () => {
  it('may have several resources without a prefix, of which one alone has a list', () => {
    const more = 'fields: { a: { kind: text } }';
    expect(
      problemsOf(
        `a: { singular: one, id: { prefix: '' }, ${more} }\n  b: { singular: two, id: { prefix: '' }, list: false, single: true, ${more} }`,
      ),
    ).toEqual([]);
  });

  it('may have a prefix that is the name of its own resource', () => {
    expect(
      problemsOf('ord: { singular: order, id: { prefix: ord }, fields: { a: { kind: text } } }'),
    ).toEqual([]);
  });

  it.each([
    [
      'the later',
      `${orders('fields: { a: { kind: text } }')}\n  ord: { singular: way, id: { prefix: w }, fields: { a: { kind: text } } }`,
      '4:44',
    ],
    [
      'the earlier',
      `ord: { singular: way, id: { prefix: w }, fields: { a: { kind: text } } }\n  ${orders('fields: { a: { kind: text } }')}`,
      '5:44',
    ],
  ])('may not have a prefix that is the name of %s resource', (_which, resources, at) => {
    expect(problemsOf(resources)).toEqual([
      `contract.yaml:${at}: resources.orders.id.prefix: "ord" is a resource, so the purge of \`ord:42\` would be that of two records\n    hint: another prefix`,
    ]);
  });

  it.each(['\\x01', 'a\\x7fb', 'a\\x85', '\\u0000', 'a\\ud800'])(
    'has no enum with the value "%s"',
    (value) => {
      const [problem, ...others] = problemsOf(
        orders(`fields: { a: { kind: enum, values: [b, "${value}"] } }`),
      );
      expect(others).toEqual([]);
      expect(problem).toBe(
        'contract.yaml:4:90: resources.orders.fields.a.values[1]: a value has no control character\n    hint: values: [open, shipped], for the kind enum; each a text without commas, blanks and control characters',
      );
    },
  );

  it.each(['\\x1b[2J', 'Shop\\n', '\\x9b'])('has no title with a control character: "%s"', (title) => {
    const problems: Problem[] = [];
    const text = contract(orders('fields: { a: { kind: text } }')).replace(
      'title: Shop',
      `title: "${title}"`,
    );
    loadContract({ file: 'contract.yaml', text }, { variables: {}, readFile: () => '' }, problems);
    expect(problems.map(problemText)).toEqual([
      'contract.yaml:2:8: title: a title has no control character\n    hint: title: the name of the API, a text',
    ]);
  });

  it.each([
    [
      'passthrough: { singular: route, id: { prefix: o }, fields: { a: { kind: text } } }',
      'contract.yaml:4:16: resources.passthrough: the path "passthrough" is taken by the routes that pass through\n    hint: give each resource a name of its own',
    ],
    [
      'problems: { singular: error, id: { prefix: o }, fields: { a: { kind: text } } }',
      'contract.yaml:4:25: resources.problems.singular: the name "Error" is taken by every answer\n    hint: give each resource a singular of its own',
    ],
    [
      orders('fields: { a: { kind: money } }'),
      "contract.yaml:4:72: resources.orders.fields.a.kind: Invalid discriminator value. Expected 'text' | 'integer' | 'decimal' | 'boolean' | 'datetime' | 'date' | 'enum' | 'reference' | 'list'\n    hint: kind: text, integer, decimal, boolean, datetime, date, enum, reference, list",
    ],
    [
      orders('fields: { a: { kind: text } }, sort: id'),
      'contract.yaml:4:88: resources.orders.sort: Invalid input: expected array, received string\n    hint: sort: [id, placed_at]',
    ],
    [
      orders('fields: { a: { kind: text, minimum: 1 } }'),
      'contract.yaml:4:78: resources.orders.fields.a.minimum: unknown key\n    hint: minimum: a number, for the kinds integer and decimal',
    ],
    [
      orders('fields: { a: { kind: text } }, list: false'),
      'contract.yaml:4:88: resources.orders.list: a resource without a list has the view of a single record\n    hint: single: true',
    ],
    [
      orders('fields: { a: { kind: text } }, list: false, single: true, sort: [a]'),
      'contract.yaml:4:115: resources.orders.sort: orders has no list, which `sort` is for\n    hint: remove sort, or list: false',
    ],
    [
      orders('fields: { a: { kind: text } }, list: false, single: true, order: [a]'),
      'contract.yaml:4:116: resources.orders.order: orders has no list, which `order` is for\n    hint: remove order, or list: false',
    ],
    [
      orders(
        'fields: { a: { kind: text } }, list: false, single: true, filters: { a: { field: a, is: equal } }',
      ),
      'contract.yaml:4:118: resources.orders.filters: orders has no list, which `filters` is for\n    hint: remove filters, or list: false',
    ],
    [
      orders('fields: { a: { kind: text } }, list: false, single: true, pages: { max: 60 }'),
      'contract.yaml:4:116: resources.orders.pages: orders has no list, which `pages` is for\n    hint: remove pages, or list: false',
    ],
    [
      'orders: { singular: order, id: { prefix: Ord }, fields: { a: { kind: text } } }',
      'contract.yaml:4:44: resources.orders.id.prefix: a prefix has at most 16 small letters and digits, and begins with a letter\n    hint: prefix: ord',
    ],
  ])('with %s is refused', (resource, wanted) => expect(problemsOf(resource)).toEqual([wanted]));
});
