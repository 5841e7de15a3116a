import { parseYamlFile } from '../../../../src/config/yaml/yaml-file.ts';
import { type Problem, problemText } from '../../../../src/config/yaml/problem.ts';

function read(text: string, env = {}) {
  const problems: Problem[] = [];
  const file = parseYamlFile('x.yaml', text, { variables: env, readFile: () => '' }, problems);
  return { file, problems: problems.map(problemText) };
}

const shared = `base: &base
  id: a
  price: 19.90
other: &other { id: b, name: n }
map:
  <<: *base
  name: m
both: { <<: [*other, *base], x: 1 }
nested: &nested { <<: *base, id: z }
twice: { <<: *nested }
alias: *other
`;

describe('merges (<<) and aliases', () => {
  const { file, problems } = read(shared);

  it('bring in the keys that a map does not have, of several maps the first one’s', () => {
    expect(problems).toEqual([]);
    expect(file.content()).toMatchObject({
      map: { id: 'a', price: 19.9, name: 'm' },
      both: { id: 'b', name: 'n', price: 19.9, x: 1 },
      twice: { id: 'z', price: 19.9 },
      alias: { id: 'b', name: 'n' },
    });
  });

  it('keep the digits of numbers', () => {
    for (const path of ['map', 'both', 'twice'])
      expect(file.exactAt([path, 'price'])).toEqual(file.exactAt(['base', 'price']));
    expect(file.exactAt(['both'])).toMatchObject({ id: 'b', name: 'n' });
    expect(Object.keys(file.exactAt(['map']) as object).sort()).toEqual(['id', 'name', 'price']);
  });

  it.each<[string[], number]>([
    [['map', 'name'], 7],
    [['map', 'id'], 2],
    [['map', 'price'], 3],
    [['both', 'id'], 4],
    [['both', 'price'], 3],
    [['both', 'x'], 8],
    [['twice', 'id'], 9],
    [['twice', 'price'], 3],
    [['alias', 'name'], 4],
  ])('are reported at the line they are written in: %j', (path, line) =>
    expect(file.problemAt(path, 'wrong').line).toBe(line),
  );

  it('are filled in from the environment once, where they are written', () => {
    const { file: filled, problems: unset } = read('a: &a { k: "${K}", l: "${L}" }\nb: { <<: *a }\n', {
      K: 'v',
    });
    expect(filled.content()).toMatchObject({ a: { k: 'v' }, b: { k: 'v' } });
    expect(unset).toEqual([expect.stringContaining('x.yaml:1')]);
    expect(filled.isUnset(['b', 'l'])).toBe(true);
    expect(filled.isUnset(['b', 'k'])).toBe(false);
  });

  it.each(['a: { <<: 5 }', 'a: { <<: [1] }', 'a: &a [1]\nb: { <<: *a }', 'a: { <<: null }'])(
    'of what is no map are reported with their line: %j',
    (text) => {
      const { file: broken, problems: reported } = read(text);
      expect(reported).toEqual([expect.stringMatching(/^x\.yaml:\d.*<< takes a map/)]);
      expect(broken.content()).toBeUndefined();
    },
  );

  it('of a map into itself are a problem, not a crash', () => {
    const { file: endless, problems: reported } = read('a: &a { <<: *a, k: 1 }\n');
    expect(reported.length > 0 || endless.content() !== undefined).toBe(true);
    expect(() => [endless.problemAt(['a', 'k'], 'x'), endless.exactAt(['a', 'k'])]).not.toThrow();
  });

  it('leave a key << in quotes alone', () =>
    expect(read('a: { "<<": 1 }').file.content()).toEqual({ a: { '<<': 1 } }));
});
