import { compilePath } from '../../../../../src/source/adapter/spec/path.ts';
import { findDropCondition } from '../../../../../src/workbench/doctor/probes/source/fields.ts';

describe('what tells rows that are no records from records', () => {
  const records = [{ id: 1, name: 'a' }, { id: 2 }];

  it('is that a column lacks a value that every record has there', () => {
    expect(findDropCondition([{ id: 'design' }], records, 'name')).toEqual({ at: 'name', present: false });
  });

  it('is else a key that no record has', () => {
    expect(findDropCondition([{ id: 'design', views: {} }], records, undefined)).toEqual({
      at: 'views',
      present: true,
    });
  });

  it('is a path to that key, whatever it is called', () => {
    const row = { id: 'design', 'views.all | "x"': 1 };
    const { at = '' } = findDropCondition([row], records, undefined) ?? {};
    expect(compilePath(at)(row)).toBe(1);
  });

  it('is nothing where records have all of its keys', () => {
    expect(findDropCondition([{ id: 'design' }], records, undefined)).toBeUndefined();
  });
});
