import { fold, isNameable, membersOf } from '../../../../../src/source/checks/evidence/document-leaves.ts';

describe('a key that a draft can name', () => {
  it.each(['id', 'Straße', '@odata.count', 'a b', '$'])('is %j', (key) => expect(isNameable(key)).toBe(true));
  it.each(['', '${HOME}', 'a\nb', 'a\u202eb', 'x'.repeat(81), '\ud800'])('is not %j', (key) =>
    expect(isNameable(key)).toBe(false),
  );
  it('has a path, quoted where it must be', () => {
    expect(membersOf({ id: 1, 'a.b': 2, '': 3 }, 'rows').map(({ path }) => path)).toEqual([
      'rows.id',
      'rows."a.b"',
    ]);
  });
});

describe('a name, folded for comparison', () => {
  it.each([
    ['Page_Size', 'pagesize'],
    ['page[size]', 'pagesize'],
    ['Währung', 'wahrung'],
    ['STRASSE', 'strasse'],
    ['Straße', 'strasse'],
    ['$top', 'top'],
  ])('%s is %s', (name, folded) => expect(fold(name)).toBe(folded));
});
