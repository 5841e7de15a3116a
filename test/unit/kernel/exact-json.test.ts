import { parseExact } from '../../../src/kernel/json/json.ts';

describe('JSON that is parsed exactly', () => {
  it.each(['{"price":19.90,"more":[1.0,12345678901234567890,1e2]}', '{"a":[1,-2.5,0,true,null,"19.90"]}'])(
    'is written again digit by digit: %s',
    (text) => {
      expect(JSON.stringify(parseExact(text))).toBe(text);
    },
  );

  it('has plain numbers where JavaScript writes them alike', () => {
    expect(parseExact('{"total":42,"share":0.001}')).toEqual({ total: 42, share: 0.001 });
  });
});
