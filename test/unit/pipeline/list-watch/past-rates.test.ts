import { readPast, withReading, writePast } from '../../../../src/pipeline/list-watch/missing-rate.ts';

describe('the rates of earlier looks', () => {
  it('are read as they were written', () => {
    const past = new Map([['field.email.gone', { records: 100, without: 3, isFrozen: true }]]);
    expect(readPast(writePast(past))).toEqual(past);
  });

  it.each([
    undefined,
    '',
    'no JSON',
    'null',
    '{"version":2,"shares":[["field.email.gone",{"records":1,"without":1}]]}',
    '{"version":1,"shares":{}}',
    '{"version":1,"shares":[null,1,["field.email.gone"],["field.email.gone",{"records":"1","without":0}]]}',
  ])('are none in %j', (text) => {
    expect(readPast(text).size).toBe(0);
  });

  it('follow what looks find, half of them after ten looks', () => {
    let share = { records: 0, without: 0, isFrozen: false };
    for (let look = 0; look < 200; look += 1) share = withReading(share, { records: 100, without: 0 });
    for (let look = 0; look < 10; look += 1) share = withReading(share, { records: 100, without: 100 });
    expect(share.without / share.records).toBeCloseTo(0.5, 1);
  });
});
