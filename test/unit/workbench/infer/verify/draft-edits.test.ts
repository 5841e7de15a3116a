import {
  applyEdit,
  isSamePlace,
  valueAt,
  withNotes,
  withPagingFirst,
} from '../../../../../src/workbench/infer/verify/draft-edits.ts';
import type { Draft } from '../../../../../src/workbench/infer/write/write-draft.ts';
import { sure, toEdit } from '../../../../../src/workbench/infer/notes/note.ts';

const draft = {
  content: {
    resources: {
      products: { list: { items: 'rows', order: 'id', filters: { category: { eq: { a: 1 } } } } },
    },
  },
  notes: [
    { at: ['resources', 'products', 'list', 'order'], ...toEdit('decide it') },
    { at: ['net'], ...sure('seen') },
  ],
} as unknown as Draft;
const LIST = ['resources', 'products', 'list'];
const edit = (changes: Parameters<typeof applyEdit>[1]['changes'], at = [...LIST, 'order']) =>
  applyEdit(draft, { at, changes, remark: sure('corrected') });

describe('an edit of a draft', () => {
  it('sets a value where one was, and keeps the order of the keys', () => {
    const { content } = edit([{ at: [...LIST, 'items'], value: 'data' }]);
    expect(Object.keys(valueAt({ content }, LIST) as object)).toEqual(['items', 'order', 'filters']);
    expect(valueAt({ content }, [...LIST, 'items'])).toBe('data');
  });

  it('makes what is missing on the way', () => {
    const { content } = edit([{ at: [...LIST, 'window', 'base'], value: 1 }]);
    expect(valueAt({ content }, [...LIST, 'window'])).toEqual({ base: 1 });
  });

  it('takes a value out, and whatever becomes empty by that', () => {
    const { content } = edit([{ at: [...LIST, 'filters', 'category', 'eq'], value: undefined }]);
    expect(valueAt({ content }, LIST)).toEqual({ items: 'rows', order: 'id' });
  });

  it('does several changes in turn', () => {
    const { content } = edit([
      { at: [...LIST, 'order'], value: undefined },
      { at: [...LIST, 'order'], value: 'source' },
    ]);
    expect(valueAt({ content }, [...LIST, 'order'])).toBe('source');
  });

  it('replaces what was remarked on its place, and no other remark', () => {
    expect(edit([]).notes).toEqual([
      { at: ['net'], level: 'sure', text: 'seen' },
      { at: [...LIST, 'order'], level: 'sure', text: 'corrected' },
    ]);
  });

  it('leaves the draft that it was made from as it was', () => {
    const before = JSON.stringify(draft);
    edit([{ at: [...LIST, 'items'], value: 'data' }]);
    expect(JSON.stringify(draft)).toBe(before);
  });

  it.each([
    [['a', 0], ['a', 0], true],
    [['a'], ['a', 0], false],
    [['a', 0], ['a', '0'], false],
  ])('of %j is at the place %j: %s', (a, b, expected) => expect(isSamePlace(a, b)).toBe(expected));

  it('adds notes on places that had none', () => {
    expect(withNotes(draft, [{ at: ['auth'], ...sure('new') }]).notes).toHaveLength(3);
  });
});

describe('notes on a list whose paging is not known', () => {
  const WINDOW = [...LIST, 'window'];
  const effects = [
    { at: LIST, ...toEdit('answered with 502') },
    { at: [...LIST, 'total'], ...toEdit('there are fewer rows') },
  ];
  const cut = edit([{ at: WINDOW, value: { kind: 'none' } }]);
  const place = ({ at }: { readonly at: readonly PropertyKey[] }) => at.join('.');

  it('are one note, the first one, because the others are its effects', () => {
    const noted = withPagingFirst(withNotes(cut, [...effects, { at: WINDOW, ...toEdit('25 of 93 came') }]));
    expect(noted.notes[0]).toMatchObject({
      at: WINDOW,
      text: 'the paging is not known: settle this first; 25 of 93 came',
    });
    expect(noted.notes.slice(1).map(place)).toEqual(['net', 'resources.products.list.order']);
  });

  it('stay as they are where the paging is known', () => {
    const noted = withNotes(cut, effects);
    expect(withPagingFirst(noted)).toBe(noted);
  });
});
