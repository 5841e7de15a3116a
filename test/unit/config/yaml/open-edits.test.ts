import { openEdits } from '../../../../src/config/yaml/open-edits.ts';
import { parseYamlFile } from '../../../../src/config/yaml/yaml-file.ts';

const editsOf = (text: string) => openEdits(parseYamlFile('shop.yaml', text, undefined, []));

describe('an EDIT that is open', () => {
  it('is told with its line and all of its text', () => {
    const text =
      '# To edit (1):\n# - list.window\nlist:\n  # sure: a\n  # EDIT: just 50 rows came,\n  # say more\n  # likely: b\n  window: { kind: none }\n';
    expect(editsOf(text)).toEqual([
      {
        ...{ file: 'shop.yaml', line: 5, path: '' },
        message: 'EDIT: just 50 rows came, say more',
        hint: 'decide it, then take the comment out',
      },
    ]);
  });

  it('may stand behind a value, and at the end', () => {
    expect(
      editsOf('a: 1 # EDIT: which?\n# EDIT: and this').map(({ line, message }) => [line, message]),
    ).toEqual([
      [1, 'EDIT: which?'],
      [2, 'EDIT: and this'],
    ]);
  });

  it.each(['# each guess says: sure, likely, or EDIT (unknown)\na: 1', 'a: EDIT: b', 'a: "#EDIT: b"', ''])(
    'is none in %j',
    (text) => expect(editsOf(text)).toEqual([]),
  );
});
