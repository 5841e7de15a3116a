import fc from 'fast-check';
import { parseYamlFile } from '../../../src/config/yaml/yaml-file.ts';
import { problemText, type Problem } from '../../../src/config/yaml/problem.ts';
import { anyCharacter } from '../../support/any-character.ts';

type Given = { variables?: Record<string, string | undefined>; files?: Record<string, string> };

function read(text: string, { variables = {}, files = {} }: Given = {}) {
  const problems: Problem[] = [];
  const readFile = (path: string) => {
    if (!Object.hasOwn(files, path)) throw new Error(`ENOENT ${path}`);
    return files[path]!;
  };
  const yaml = parseYamlFile('f.yaml', text, { variables, readFile }, problems);
  return { content: yaml.content(), problems: problems.map(problemText) };
}

describe('references', () => {
  it.each([
    ['a: ${X}', { X: 'value' }, 'value'],
    ['a: "<${X}|${Y}>"', { X: '1', Y: '2' }, '<1|2>'],
    ['a: ${X:-default}', {}, 'default'],
    ['a: ${X:-default}', { X: '' }, 'default'],
    ['a: ${X:-}', {}, ''],
    ["a: '${X:-http://h:1/p?q=$1}'", {}, 'http://h:1/p?q=$1'],
    ['a: ${X}', { X: '${Y}', Y: 'never' }, '${Y}'],
    ['a: ${X:-b}', { X: '0' }, '0'],
    ['a: $X $$ {X}', { X: 'never' }, '$X $$ {X}'],
    ['a: |-\n  ${X}\n  end', { X: 'line' }, 'line\nend'],
  ])('%j with %j is %j', (text, variables, expected) => {
    expect(read(text, { variables })).toEqual({ content: { a: expected }, problems: [] });
  });

  it('reads files, without the newline that ends them', () => {
    expect(read('a: ${file:/run/key}', { files: { '/run/key': 'secret\r\n' } }).content).toEqual({
      a: 'secret',
    });
  });

  it('reports what has no value, all of it, with its place and how to fix it', () => {
    expect(read('a: ${X}\nb: [1, "${Y} ${Z}"]\nc: ${file:gone}').problems).toEqual([
      'f.yaml:1:4: the environment variable X is not set\n    hint: set it, or give a default: ${X:-value}',
      'f.yaml:2:8: the environment variable Y is not set\n    hint: set it, or give a default: ${Y:-value}',
      'f.yaml:2:8: the environment variable Z is not set\n    hint: set it, or give a default: ${Z:-value}',
      'f.yaml:3:4: the file gone cannot be read\n    hint: mount it, or correct the path after "file:"',
    ]);
  });

  it.each([
    '${my-name}',
    '${}',
    '${X',
    '${X-default}',
    '${X:=y}',
    '${1X}',
    '${file:}',
    '${ X }',
    '${X:-${Y:-z}}',
  ])('reports %s, which would otherwise be taken for the value', (text) =>
    expect(read(`a: '${text}'`).problems[0]).toContain(
      'f.yaml:1:4: a malformed reference\n    hint: write ${NAME}',
    ),
  );

  it.each(['toString', '__proto__', 'constructor'])('does not take %s for a variable', (name) => {
    const variables = Object.create(null) as Record<string, string>;
    expect(read(`a: \${${name}}`, { variables }).problems).toHaveLength(1);
  });

  it('lets no value change the structure of the document, whatever it is', () => {
    const odd = fc.oneof(
      fc.string({ unit: anyCharacter, minLength: 1 }),
      fc.constantFrom(
        'a\nb: 1',
        '{x: 1}',
        '[1]',
        '"',
        "'",
        '*a',
        '&a b',
        '!t v',
        '# c',
        'null',
        'true',
        '1',
        '- x',
        '%',
        '${Y}',
      ),
    );
    const places = fc.constantFrom(
      'a: ${X}',
      "a: '${X}'",
      'a: "${X}"',
      'a: |-\n  ${X}',
      'a: >-\n  ${X}',
      '{ a: "${X}" }',
    );
    fc.assert(
      fc.property(odd, places, (value, text) => {
        expect(read(text, { variables: { X: value } })).toEqual({ content: { a: value }, problems: [] });
        expect(read(text.replace('${X}', '${file:f}'), { files: { f: value } }).content).toEqual({
          a: value.trimEnd(),
        });
      }),
      { numRuns: 500 },
    );
  });
});
