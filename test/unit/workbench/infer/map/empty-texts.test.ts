import { resources } from '../../../../support/reference.ts';
import { decideEmptyTexts } from '../../../../../src/workbench/infer/map/empty-texts.ts';
import type { JsonObject } from '../../../../../src/kernel/json/json.ts';

const { products } = resources;
type Map = Parameters<typeof decideEmptyTexts>[1][number]['map'];

/** Rows of which some have an empty text. */
const rows = (empty: number, key = 'text'): readonly JsonObject[] =>
  Array.from({ length: 20 }, (_, index) => ({
    text: 'a',
    kind: 'b',
    title: 'c',
    [key]: index < empty ? '' : 'd',
  }));
const map = { name: 'title', description: 'text', category: 'kind' } as unknown as Map;

const decide = (list: readonly JsonObject[], own = map) => {
  const { maps, notes } = decideEmptyTexts(products, [{ name: 'list', map: own, rows: list }]);
  return { map: maps[0] ?? {}, notes };
};

describe('an empty text', () => {
  it('is no value in any text, once five records show one', () => {
    const { map: changed, notes } = decide(rows(5));
    expect(changed).toMatchObject({
      description: { from: 'text', as: [{ nullIf: [''] }] },
      name: { from: 'title', as: [{ nullIf: [''] }] },
    });
    expect(notes).toMatchObject([
      { at: ['resources', 'products', 'list', 'map', 'description'], level: 'likely' },
    ]);
  });

  it('is left to the operator, if fewer show it', () => {
    const { map: changed, notes } = decide(rows(4));
    expect(changed).toEqual(map);
    expect(notes).toMatchObject([{ level: 'edit', text: expect.stringContaining('4 texts are empty') }]);
  });

  it('stays in a field that a filter asks for: the service may find it by an empty value', () => {
    const { map: changed, notes } = decide(rows(6, 'kind'));
    expect(changed['category']).toEqual('kind');
    expect(notes).toMatchObject([
      { at: ['resources', 'products', 'list', 'map', 'category'], level: 'edit' },
    ]);
  });

  it('is not mentioned where there is none', () => expect(decide(rows(0))).toEqual({ map, notes: [] }));

  it('joins the words that mean nothing already', () => {
    const own = {
      ...map,
      description: { from: 'text', as: ['trim', { nullIf: ['N/A'] }] },
    } as unknown as Map;
    expect(decide(rows(5), own).map['description']).toEqual({
      from: 'text',
      as: ['trim', { nullIf: ['', 'N/A'] }],
    });
  });

  it('counts blanks as empty, if the field is trimmed', () => {
    const blank = rows(0).map((row, index) => (index < 5 ? { ...row, text: '  ' } : row));
    const own = { ...map, description: { from: 'text', as: ['trim'] } } as unknown as Map;
    expect(decide(blank, own).map['description']).toEqual({ from: 'text', as: ['trim', { nullIf: [''] }] });
    expect(decide(blank).notes).toEqual([]);
  });
});
