import { readTraceparent, readTracestate, traceparentOf } from '../../../src/telemetry/trace-context.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const parent = (version: string, flags: string, more = '') => `${version}-${TRACE}-${SPAN}-${flags}${more}`;

describe('traceparent', () => {
  it.each([
    [parent('00', '01'), true, false],
    [parent('00', '00'), false, false],
    [parent('00', '02'), false, true],
    [parent('00', 'ff'), true, true],
    [parent('01', '01'), true, false],
    [parent('cc', '03', '-what-comes-later'), true, true],
  ])('is read by its ids and its flags: %s', (text, isSampled, isRandom) => {
    expect(readTraceparent([text])).toEqual({ traceId: TRACE, spanId: SPAN, isSampled, isRandom });
  });

  it.each([
    ['absent', []],
    ['repeated', [parent('00', '01'), parent('00', '01')]],
    ['of version ff', [parent('ff', '01')]],
    ['of version 00 with more behind it', [parent('00', '01', '-more')]],
    ['of a later version with more behind it, but no dash', [parent('01', '01', 'more')]],
    ['with a trace id of zeros', [`00-${'0'.repeat(32)}-${SPAN}-01`]],
    ['with a span id of zeros', [`00-${TRACE}-${'0'.repeat(16)}-01`]],
    ['in upper case', [parent('00', '01').toUpperCase()]],
    ['short', [parent('00', '1')]],
    ['empty', ['']],
    ['of other words', ['00-traceparent']],
    ['a list', [`${parent('00', '01')}, ${parent('00', '01')}`]],
  ])('is no parent where it is %s', (_how, values) => {
    expect(readTraceparent(values)).toBeUndefined();
  });

  it('is written in version 00, with the two flags that Portico knows', () => {
    const ids = { traceId: TRACE, spanId: 'b'.repeat(16) };
    expect(traceparentOf({ ...ids, isSampled: true, isRandom: true }, SPAN)).toBe(parent('00', '03'));
    expect(traceparentOf({ ...ids, isSampled: false, isRandom: false }, SPAN)).toBe(parent('00', '00'));
  });
});

describe('tracestate', () => {
  const member = (index: number, length = 10) => `k${index}=${'v'.repeat(length)}`;
  const members = (count: number, length?: number) =>
    Array.from({ length: count }, (_, i) => member(i, length));

  it.each([
    [['a=1,b=2'], 'a=1,b=2'],
    [['a=1', 'b=2'], 'a=1,b=2'],
    [['a=1 ,\t b=2,,'], 'a=1,b=2'],
    [['tenant@system=x y', '0_-*/@a=~'], 'tenant@system=x y,0_-*/@a=~'],
    [members(32), members(32).join()],
  ])('is one list of all its lines: %j', (values, text) => {
    expect(readTracestate(values)).toBe(text);
  });

  it.each([
    [['A=1']],
    [['a']],
    [['=1']],
    [['a=']],
    [['a=1=2']],
    [['a=\u00fc']],
    [['a=1,a=2']],
    [['a=1', 'b=2', 'a=3']],
    [members(33)],
    [[`${'k'.repeat(257)}=1`]],
    [[member(1, 257)]],
    [['x'.repeat(10_000)]],
    [[]],
  ])('is dropped as a whole where it is malformed: %#', (values) => {
    expect(readTracestate(values)).toBe('');
  });

  it('keeps 512 characters: members above 128 go first, then those at the end', () => {
    expect(readTracestate([member(0, 200), ...members(9, 40).slice(1), member(9, 200)])).toBe(
      members(9, 40).slice(1).join(),
    );
    const many = readTracestate(members(30, 40));
    expect(many.length).toBeLessThanOrEqual(512);
    expect(members(30, 40).join().startsWith(`${many},`)).toBe(true);
  });
});
