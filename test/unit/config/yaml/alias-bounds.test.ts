import { parseYamlFile } from '../../../../src/config/yaml/yaml-file.ts';
import { type Problem, problemText } from '../../../../src/config/yaml/problem.ts';

function read(text: string) {
  const problems: Problem[] = [];
  const file = parseYamlFile('x.yaml', text, undefined, problems);
  return { file, problems: problems.map(problemText) };
}

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

const big = times(300, (index) => `k${index}: 1`);
const uses = times(900, () => '*x').join(', ');
/** Each level has the one before it five times. */
const levels = (open: string, close: string) => [
  'x0: &x0 { a: 1 }',
  ...times(
    12,
    (level) => `x${level + 1}: &x${level + 1} ${open}${new Array(5).fill(`*x${level}`).join()}${close}`,
  ),
];

const TOO_MANY = /its aliases and merges bring in more than 200000 values$/;

describe('a YAML text is refused before anything of it is resolved', () => {
  it.each([
    ['merges of merges', levels('{ <<: [', '] }').join('\n'), TOO_MANY],
    ['aliases of aliases', levels('[', ']').join('\n'), TOO_MANY],
    [
      'merges of what each merged before',
      ['x0: &x0 { a: 1 }', ...times(900, (at) => `x${at + 1}: &x${at + 1} { <<: *x${at}, k${at}: 1 }`)].join(
        '\n',
      ),
      TOO_MANY,
    ],
    ['one map that is merged often', `x: &x { ${big.join(', ')} }\ny: { <<: [${uses}] }`, TOO_MANY],
    ['one map that stands for many', `x: &x\n  ${big.join('\n  ')}\ny: [${uses}]`, TOO_MANY],
    ['one map in a list', `- &x\n  ${big.join('\n  ')}\n- [${uses}]`, TOO_MANY],
    ['one key that is a map', `? &x { ${big.join(', ')} }\n: [${uses}]`, TOO_MANY],
    [
      'an alias for each of many anchors',
      `${times(1_001, (at) => `a${at}: &a${at} 1`).join('\n')}\nb: [${times(1_001, (at) => `*a${at}`).join()}]`,
      /^x\.yaml:1002:\d+: it has more than 1000 aliases$/,
    ],
    ['an alias to what holds it', 'a: &a [1, { b: *a }]', /^x\.yaml:1:16: its aliases expand to themselves$/],
    ['a merge of a map into itself', 'a: &a { <<: *a, k: 1 }', /its aliases expand to themselves$/],
    ['lists in lists', `a: ${'['.repeat(30_000)}${']'.repeat(30_000)}`, /nested deeper than 100 levels$/],
    ['more text than anybody writes', `a: ${'x'.repeat(4 * 1024 ** 2)}`, /more than 4194304 characters$/],
  ])('if it has %s', (_name, text, reason) => {
    const { file, problems } = read(text);
    expect(problems).toEqual([expect.stringMatching(reason)]);
    expect(file.content()).toBeUndefined();
  });
});

describe('a large YAML text', () => {
  it('with aliases and merges that a person would write is read', () => {
    const columns = times(20, (at) => `  column_${at}: { from: legacy_${at}, as: [trim] }`);
    const text = [
      ...times(20, (at) => `base_${at}: &base_${at}\n${columns.join('\n')}`),
      ...times(
        400,
        (at) => `view_${at}:\n  <<: [*base_${at % 20}, *base_${(at + 1) % 20}]\n  own: *base_${at % 20}`,
      ),
    ].join('\n');
    // An alias each for the map and 2 for the merge are more than are allowed.
    const { problems: tooMany } = read(text);
    expect(tooMany).toEqual([expect.stringMatching(/more than 1000 aliases$/)]);
    const { file, problems } = read(text.replaceAll(/\n {2}own: .*/g, ''));
    expect(problems).toEqual([]);
    const content = file.content() as Record<string, Record<string, unknown>>;
    expect(Object.keys(content)).toHaveLength(420);
    expect(Object.keys(content['view_399']!)).toHaveLength(20);
    expect(file.problemAt(['view_399', 'column_3', 'from'], 'wrong').line).toBe(19 * 21 + 5);
  });

  it('with thousands of keys in one map is read, and one that stands twice is told', () => {
    const keys = times(20_000, (at) => `k${at}: ${at}`);
    expect(Object.keys(read(keys.join('\n')).file.content() as object)).toHaveLength(20_000);
    const { file, problems } = read([...keys, 'k7: 1'].join('\n'));
    expect(problems).toEqual(['x.yaml:20001:1: Map keys must be unique']);
    expect(file.content()).toBeUndefined();
  });

  it('may use an anchor a hundred times, give an anchor twice, and have stars that are no aliases', () => {
    const { file, problems } = read(
      [
        'a: &a { k: 1 }',
        'b: [*a, "*a", "it is *a", &a 2, *a]',
        `c: [${new Array(100).fill('*a').join()}]`,
        'd: |',
        '  *nothing &here',
      ].join('\n'),
    );
    expect(problems).toEqual([]);
    expect(file.content()).toMatchObject({
      b: [{ k: 1 }, '*a', 'it is *a', 2, 2],
      c: new Array(100).fill(2),
      d: '*nothing &here\n',
    });
  });
});
