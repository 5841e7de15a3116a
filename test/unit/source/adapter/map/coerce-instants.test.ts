import fc from 'fast-check';
import { isZone, namesWholeDate } from '../../../../../src/source/adapter/map/coercion/instant.ts';
import { compileStep } from '../../../../../src/source/adapter/map/coercion/coerce.ts';
import { UNREADABLE } from '../../../../../src/source/adapter/map/coercion/step.ts';
import type { CoercionSpec } from '../../../../../src/config/schema/source.ts';
import { readJson } from '../../../../../src/kernel/json/json.ts';

const run = (step: CoercionSpec, json: string): unknown => compileStep(step).run(readJson(json));
const date = (format: string, zone: string): CoercionSpec => ({ date: { format, zone } });

/** An instant as the contract writes it. */
const canonical = (ms: number) => new Date(ms).toISOString().replace('.000Z', 'Z');

describe('epochSeconds and epochMilliseconds', () => {
  it.each<[CoercionSpec, string, unknown]>([
    ['epochSeconds', '1588291200', '2020-05-01T00:00:00Z'],
    ['epochSeconds', '"1588291200"', '2020-05-01T00:00:00Z'],
    ['epochSeconds', '0', '1970-01-01T00:00:00Z'],
    ['epochSeconds', '-1', '1969-12-31T23:59:59Z'],
    ['epochSeconds', '253402300799', '9999-12-31T23:59:59Z'],
    ['epochSeconds', '253402300800', UNREADABLE],
    ['epochSeconds', '-62167219201', UNREADABLE],
    ['epochSeconds', '999999999999999', UNREADABLE],
    ['epochSeconds', '1588291200.25', '2020-05-01T00:00:00.250Z'],
    ['epochSeconds', '"1588291200.9999"', '2020-05-01T00:00:00.999Z'],
    ['epochSeconds', '1588291200.000000001', '2020-05-01T00:00:00Z'],
    ['epochSeconds', '1.58829120025E9', '2020-05-01T00:00:00.250Z'],
    ['epochSeconds', '-0.0005', '1969-12-31T23:59:59.999Z'],
    ['epochSeconds', '-1.5', '1969-12-31T23:59:58.500Z'],
    ['epochSeconds', '"1588291200."', UNREADABLE],
    ['epochSeconds', '1e9', UNREADABLE],
    ['epochMilliseconds', '1588291200001', '2020-05-01T00:00:00.001Z'],
    ['epochMilliseconds', '1588291200001.75', '2020-05-01T00:00:00.001Z'],
    ['epochMilliseconds', '-0.5', '1969-12-31T23:59:59.999Z'],
    ['epochMilliseconds', '1588291200000', '2020-05-01T00:00:00Z'],
    ['epochMilliseconds', '253402300800000', UNREADABLE],
    ['epochMilliseconds', '9007199254740993', UNREADABLE],
  ])('%s makes of %s: %p', (step, json, expected) => expect(run(step, json)).toBe(expected));
});

describe('iso8601', () => {
  it.each([
    ['2020-05-01T00:00:00Z', '2020-05-01T00:00:00Z'],
    ['2020-05-01T02:00:00+02:00', '2020-05-01T00:00:00Z'],
    ['2020-05-01 02:00:00+0200', '2020-05-01T00:00:00Z'],
    ['2020-04-30T20:30-0330', '2020-05-01T00:00:00Z'],
    ['2020-05-01T01+01', UNREADABLE],
    ['2020-05-01T01:00+01', '2020-05-01T00:00:00Z'],
    ['2020-05-01T00:00:00.5Z', '2020-05-01T00:00:00.500Z'],
    ['2020-05-01T00:00:00.123456789Z', '2020-05-01T00:00:00.123Z'],
    ['2020-05-01T00:00:00.000Z', '2020-05-01T00:00:00Z'],
    ['2020-02-29T00:00:00Z', '2020-02-29T00:00:00Z'],
    [' 2020-05-01T00:00:00Z ', '2020-05-01T00:00:00Z'],
    ['0999-01-01T00:00:00Z', '0999-01-01T00:00:00Z'],
  ])('makes of %j: %p', (text, expected) => expect(run('iso8601', JSON.stringify(text))).toBe(expected));

  it.each([
    ...[
      '2020-05-01',
      '2020-05-01T00:00:00',
      '2020-05-01T00:00:00z',
      '20200501T000000Z',
      '01.05.2020',
      '2020-5-1T0:0:0Z',
    ],
    ...['2021-02-29T00:00:00Z', '2020-13-01T00:00:00Z', '2020-00-01T00:00:00Z', '2020-04-31T00:00:00Z'],
    ...['2020-05-01T25:00:00Z', '2020-05-01T00:60:00Z', '2020-05-01T00:00:60Z', '2020-05-01T00:00:00+24:00'],
    ...[
      '2020-05-01T00:00:00+99:99',
      '9999-12-31T23:59:59-01:00',
      '12020-05-01T00:00:00Z',
      '-2020-05-01T00:00:00Z',
    ],
    ...['0000-12-31T23:59:59Z', '0001-01-01T00:00:00+01:00'],
    ...['0000-01-01T00:00:00+01:00', '2020-05-01T00:00:00.Z', '2020-05-01T00:00:00,5Z', 'now', ''],
  ])('does not read %j', (text) => expect(run('iso8601', JSON.stringify(text))).toBe(UNREADABLE));

  it('reads every instant of the years 1 to 9999, whatever its offset', () => {
    const ms = fc.integer({ min: Date.UTC(100, 0, 1), max: Date.UTC(9998, 0, 1) });
    fc.assert(
      fc.property(ms, fc.integer({ min: -14 * 60, max: 14 * 60 }), (instant, offset) => {
        const local = new Date(instant + offset * 60_000).toISOString().slice(0, -1);
        const two = (n: number) => String(n).padStart(2, '0');
        const size = Math.abs(offset);
        const text = `${local}${offset < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
        expect(run('iso8601', JSON.stringify(text))).toBe(canonical(instant));
      }),
      { numRuns: 300 },
    );
  });

  it('reads every millisecond of a second', () => {
    for (let ms = 0; ms < 1_000; ms += 1) {
      const text = `2020-05-01T00:00:00.${String(ms).padStart(3, '0')}Z`;
      expect(run('iso8601', JSON.stringify(text))).toBe(canonical(Date.parse(text)));
    }
  });
});

describe('date', () => {
  it.each<[CoercionSpec, string, unknown]>([
    [date('yyyy-MM-dd HH:mm:ss', 'UTC'), '2020-05-01 12:30:15', '2020-05-01T12:30:15Z'],
    [date('yyyy-MM-dd HH:mm:ss', '+02:00'), '2020-05-01 12:30:15', '2020-05-01T10:30:15Z'],
    [date('yyyy-MM-dd HH:mm:ss', '-00:30'), '2020-05-01 12:30:15', '2020-05-01T13:00:15Z'],
    [date('yyyy-MM-dd HH:mm:ss', 'Europe/Berlin'), '2020-07-01 12:00:00', '2020-07-01T10:00:00Z'],
    [date('yyyy-MM-dd HH:mm:ss', 'Europe/Berlin'), '2020-01-01 12:00:00', '2020-01-01T11:00:00Z'],
    [date('dd.MM.yyyy', 'UTC'), '01.05.2020', '2020-05-01T00:00:00Z'],
    [date('yyyyMMdd', 'UTC'), '20200501', '2020-05-01T00:00:00Z'],
    [date('dd MMM yyyy', 'UTC'), '01 May 2020', '2020-05-01T00:00:00Z'],
    [date('yyyy-MM-dd HH:mm', 'UTC'), ' 2020-05-01 12:30 ', '2020-05-01T12:30:00Z'],
    [date('dd.MM.yyyy', 'UTC'), '31.04.2020', UNREADABLE],
    [date('dd.MM.yyyy', 'UTC'), '05/01/2020', UNREADABLE],
    [date('dd.MM.yyyy', 'UTC'), '2020-05-01', UNREADABLE],
    [date('dd.MM.yyyy', 'UTC'), '', UNREADABLE],
    [date('yyyy-MM-dd HH:mm:ss', 'UTC'), '0000-00-00 00:00:00', UNREADABLE],
    [date('yyyy-MM-dd HH:mm:ss', '-01:00'), '9999-12-31 23:30:00', UNREADABLE],
    // Clocks in Berlin went from 02:00 to 03:00; those in São Paulo from 00:00 to 01:00.
    [date('yyyy-MM-dd HH:mm:ss', 'Europe/Berlin'), '2020-03-29 01:59:59', '2020-03-29T00:59:59Z'],
    [date('yyyy-MM-dd HH:mm:ss', 'Europe/Berlin'), '2020-03-29 02:30:00', UNREADABLE],
    [date('yyyy-MM-dd HH:mm:ss', 'Europe/Berlin'), '2020-03-29 03:00:00', '2020-03-29T01:00:00Z'],
    [date('yyyy-MM-dd', 'America/Sao_Paulo'), '2018-11-04', '2018-11-04T03:00:00Z'],
    [date("yyyy-MM-dd'T'HH:mm:ssZZ", 'Europe/Berlin'), '2020-03-29T02:30:00+01:00', '2020-03-29T01:30:00Z'],
  ])('%j makes of %j: %p', (step, text, expected) => expect(run(step, JSON.stringify(text))).toBe(expected));

  it('reads digits that stand there as a number', () => {
    expect(run(date('yyyyMMdd', 'UTC'), '20200501')).toBe('2020-05-01T00:00:00Z');
  });

  it.each([
    'yyyy-MM-dd',
    'dd.MM.yyyy HH:mm',
    'yyyyMMdd',
    'dd MMM yyyy',
    'yyyy-ooo',
    "yyyy-MM-dd'T'HH:mm:ssZZ",
  ])('takes the format %s', (format) => expect(namesWholeDate(format)).toBe(true));

  it.each([
    'HH:mm:ss',
    'dd.MM',
    'MM/yyyy',
    'yyyy',
    'd',
    '',
    'YYYY-MM-DD',
    'yyyy-MM-ddTHH:mm',
    'X',
    'D',
    'nonsense',
  ])('refuses the format %j, which would fill in a part of today', (format) =>
    expect(namesWholeDate(format)).toBe(false),
  );

  it('knows UTC, offsets and IANA zones', () => {
    for (const zone of ['UTC', '+02:00', '-11:30', 'Europe/Berlin', 'America/New_York'])
      expect(isZone(zone)).toBe(true);
    for (const zone of ['', 'CEST+2', '+2', 'Mars/Olympus', 'local', 'system'])
      expect(isZone(zone)).toBe(false);
  });
});
