import fc from 'fast-check';
import { problemText } from '../../../../src/config/yaml/problem.ts';
import { changed, gatewayText, loadTexts } from '../../../support/gateway/config-texts.ts';

const after = (wanted: string, replacement: string) =>
  loadTexts({ gateway: changed(gatewayText, wanted, replacement) }).problems;

const pepperLine = gatewayText.slice(0, gatewayText.indexOf('pepper: ')).split('\n').length;

describe('YAML that cannot be read', () => {
  it.each([
    ['an indent that does not fit', 'portico: 1', 'portico: 1\n  x: 2', 5],
    ['a tab', 'portico: 1', 'portico: 1\n\tx: 2', 6],
    ['a key that stands twice', 'portico: 1', 'portico: 1\nportico: 1', 6],
    ['a second document', 'portico: 1', 'portico: 1\n---\nportico: 1', 6],
    ['an alias without an anchor', 'portico: 1', 'portico: *one', 5],
    ['a star that was meant as a text', 'portico: 1', 'portico: 1\ncors: { origins: [*] }', 6],
    ['a tag, which would be read past', 'pepper: ', 'pepper: !vault ', pepperLine],
    ['a reserved character', 'pepper: ', 'pepper: @', pepperLine],
  ])('%s is reported with its line', (_name, wanted, replacement, line) => {
    const problems = after(wanted, replacement);
    expect(problems[0]).toMatchObject({ file: 'portico.yaml', line });
    expect(problems.map(problemText).join()).not.toMatch(/undefined|\[object/);
  });

  it('is reported once, not for every token after it', () => {
    expect(after('portico: 1', 'portico: 1\n} ]')).toHaveLength(1);
  });

  it('never grows beyond its text through aliases', () => {
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]'];
    for (const [name, last] of ['ba', 'cb', 'dc', 'ed', 'fe', 'gf'].map((pair) => pair.split('')))
      bomb.push(`${name}: &${name} [${new Array(9).fill(`*${last}`).join()}]`);
    const { problems, config } = loadTexts({ gateway: bomb.join('\n') });
    expect(config.gateway).toBeUndefined();
    expect(problems.map(problemText)).toEqual([
      'portico.yaml:6:11: its aliases and merges bring in more than 200000 values',
    ]);
  });

  it.each(['', '\n', '# only a comment', '- a\n- b', '42', 'text', '~', 'x: &a [*a]'])(
    'or that is no configuration at all (%j) is a problem, not a crash',
    (text) => {
      const { problems, config } = loadTexts({ gateway: text, sources: { 's.yaml': text } });
      expect(config.gateway).toBeUndefined();
      expect(new Set(problems.map(({ file }) => file))).toEqual(new Set(['portico.yaml', 's.yaml']));
    },
  );

  it('never crashes the loader, whatever it is', () => {
    const lines = fc.array(
      fc.oneof(
        fc.constantFrom(...gatewayText.split('\n')),
        fc.string(),
        fc.stringMatching(/^[&*!{}[\]:,"'|>%@`#-]{1,6}$/),
      ),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(lines, (text) => {
        const { problems } = loadTexts({ gateway: text.join('\n'), sources: { 's.yaml': text.join('\n') } });
        for (const problem of problems) expect(problemText(problem)).toMatch(/^(portico|s)\.yaml/);
      }),
      { numRuns: 300 },
    );
  });
});
