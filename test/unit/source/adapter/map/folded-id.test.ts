import { isSameFolded } from '../../../../../src/source/adapter/map/native-id.ts';

describe('ids that a careless source takes for one', () => {
  it.each([
    ['ABC', 'abc'],
    ['7', '+007'],
    ['0', '000'],
    ['0', '+0'],
    ['a b', ' a \t b '],
    ['straße', 'STRASSE'],
    ['é', 'e\u0301'],
  ])('%j and %j are the same', (a, b) => {
    expect(isSameFolded(a, b)).toBe(true);
  });

  it.each([
    ['7', '70'],
    ['+', ''],
    ['0a', 'a'],
    ['00', ''],
    ['+a', 'a'],
    ['1', undefined],
  ])('%j and %j are not', (a, b) => {
    expect(isSameFolded(a, b)).toBe(false);
  });
});
