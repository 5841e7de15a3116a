import fc from 'fast-check';
import { parse } from 'yaml';
import { writeDraft } from '../../../../src/workbench/infer/write/write-draft.ts';
import { anyCharacter } from '../../../support/any-character.ts';

const map = (text: string) => ({
  source: 1,
  resources: { users: { list: { map: { id: text, name: { from: text, as: [{ nullIf: [text] }] } } } } },
});
const at = ['resources', 'users', 'list', 'map', 'name'];

describe('a written draft', () => {
  it('has each remark as a comment above its place, with its confidence first', () => {
    const text = writeDraft({
      content: map('x'),
      head: () => ['Title'],
      notes: [{ at, level: 'edit', text: 'look here' }],
    });
    expect(text).toContain('        # EDIT: look here\n        name: { from: x, as: [{ nullIf: [x] }] }');
    expect(text.startsWith('# yaml-language-server: $schema=../source.schema.json\n#\n# Title\n')).toBe(true);
  });

  it('holds any text as a value, and any remark as a comment', () => {
    const hostile = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.constantFrom(
        'a\n- b: c',
        '# x',
        '*a',
        '!!js x',
        '---\n',
        'a: b',
        "'",
        '"',
        '\u2028',
        '{ a',
        '[',
        '%',
        '@',
        '`',
        '? x',
        '\t',
      ),
    );
    fc.assert(
      fc.property(hostile, hostile, (value, remark) => {
        const written = writeDraft({
          content: map(value),
          head: () => [remark],
          notes: [{ at, level: 'sure', text: remark }],
        });
        expect(parse(written)).toEqual(map(value));
      }),
      { numRuns: 500 },
    );
  });
});
