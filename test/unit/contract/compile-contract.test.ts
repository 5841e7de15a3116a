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
  ])('with %s is refused', (resource, wanted) => expect(problemsOf(resource)).toEqual([wanted]));
});
