import { referenceContract } from '../../support/reference.ts';
import { parse, stringify } from 'yaml';
import { ConfigError } from '../../../src/config/yaml/problem.ts';
import { compileSourceText } from '../../../src/source/compile-sources.ts';
import type { TableRow } from '../harness/row.ts';
import { sourceText } from '../harness/source-file.ts';
import { shapes } from '../harness/traits.ts';

type Tree = Record<string, unknown>;

/** The file of a service with another filter by category, and more in the request. */
function textWith(category: Tree, query: Tree): string {
  const file = parse(sourceText(shapes['offset products'], 'http://service.example')) as {
    resources: { products: { list: { request: { query: Tree }; filters: Tree } } };
  };
  const { list } = file.resources.products;
  list.filters = { ...list.filters, category: { eq: { ...category, exactness: 'exact' } } };
  list.request.query = { ...list.request.query, ...query };
  return stringify(file);
}

/** Why a file cannot be used; empty where it can. */
function problemsOf(text: string): readonly string[] {
  try {
    compileSourceText({ file: 'draft.yaml', text }, { variables: {}, readFile: () => '' }, referenceContract);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ line, message, hint }) => `${line ?? '?'}: ${message} (${hint ?? ''})`);
  }
}

function quotedRow(name: string, text: string, isRefused: boolean): TableRow {
  return {
    name,
    run() {
      const problems = problemsOf(text);
      const isTold = problems.some((line) => /^\d+: .*inside quotes.*\(.*(?:expr|escape)/.test(line));
      const failures = isRefused
        ? isTold
          ? []
          : ['a variable inside quotes is taken, or refused without a line and a hint']
        : problems.map((line) => `a correct file is refused: ${line}`);
      return Promise.resolve({
        ...{ name, head: `${problems.length} problems`, failures, details: problems, seconds: 0 },
        figures: { asked: 0, wrong: 0, isFlagged: problems.length > 0, isContradicted: false },
      });
    },
  };
}

const faulty: readonly (readonly [string, Tree, Tree])[] = [
  ['single quotes', { query: { filter: "category = '{value}'" } }, {}],
  ['double quotes', { query: { filter: 'category == "{value}"' } }, {}],
  ['backticks', { query: { filter: 'category = `{value}`' } }, {}],
  ['a pattern', { query: { filter: "category LIKE '%{value}%'" } }, {}],
  ['a name of its own', { name: 'cat' }, { filter: "category = '{cat}'" }],
  ['JSON', { name: 'cat' }, { where: '{"category":"{cat}"}' }],
  ['a path', { path: "/products/in('{value}')" }, {}],
  [
    'an escape that writes its own',
    { expr: "category eq '{value}'", escape: 'odata' },
    { $filter: '{filter}' },
  ],
  ['around the condition', { expr: 'category eq {value}', escape: 'sql' }, { where: "exec('{filter}')" }],
];

const correct: readonly (readonly [string, Tree, Tree])[] = [
  ['a parameter', { query: { category: '{value}' } }, {}],
  ['an escape', { expr: 'category eq {value}', escape: 'odata' }, { $filter: '{filter}' }],
  ['quotes elsewhere', { name: 'cat' }, { filter: "state = 'live' and in:{cat} and kind = 'x'" }],
  ['an apostrophe', { query: { filter: "owner's {value}" } }, {}],
];

/** Files with a variable inside quotes, which a value can end, and correct ones. */
export const quotedVariableRows: readonly TableRow[] = [
  ...faulty.map(([what, filter, query]) =>
    quotedRow(`inside quotes: ${what}`, textWith(filter, query), true),
  ),
  ...correct.map(([what, filter, query]) =>
    quotedRow(`without quotes: ${what}`, textWith(filter, query), false),
  ),
];
