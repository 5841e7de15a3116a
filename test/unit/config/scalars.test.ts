import fc from 'fast-check';
import type * as z from 'zod';
import {
  addressRange,
  bytes,
  duration,
  flag,
  addedHeaderName,
  headerSecret,
  headerValue,
  httpUrl,
  integer,
  name,
  origin,
  redisUrl,
  secret,
  timeLimit,
  wholeSeconds,
  rateWindow,
} from '../../../src/config/schema/elements/scalars.ts';
import { requestBody } from '../../../src/config/schema/elements/request.ts';

/** What a schema makes of a value; the first message where it refuses. */
function read(schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value);
  return result.success ? result.data : `refused: ${result.error.issues[0]!.message}`;
}
const refused = expect.stringMatching(/^refused: (expected|must)/);

describe('scalars of the configuration', () => {
  const rows: [string, z.ZodType, unknown, unknown][] = [
    ['duration', duration, '250ms', 250],
    ['duration', duration, '0s', 0],
    ['duration', duration, '24d', 2_073_600_000],
    ['duration', duration, '25d', refused],
    ['duration', duration, 250, refused],
    ['timeLimit', timeLimit, '1ms', 1],
    ['timeLimit', timeLimit, '0ms', refused],
    ['wholeSeconds', wholeSeconds, '2000ms', 2],
    ['wholeSeconds', wholeSeconds, '1500ms', refused],
    ['wholeSeconds', wholeSeconds, '25d', refused],
    ['bytes', bytes, '2MiB', 2_097_152],
    ['bytes', bytes, '2MB', refused],
    ['window', rateWindow, '20 per 1s', { points: 20, seconds: 1 }],
    ['window', rateWindow, '20 per 25d', refused],
    ['integer', integer(1, 9), 5, 5],
    ['integer', integer(1, 9), '5', 5],
    ['integer', integer(1, 9), 10, refused],
    ['integer', integer(1, 9), '10', refused],
    ['integer', integer(1, 9), '', refused],
    ['integer', integer(1, 9), 1.5, refused],
    ['integer', integer(1, 9), true, refused],
    ['flag', flag, true, true],
    ['flag', flag, 'false', false],
    ['flag', flag, 'yes', refused],
    ['flag', flag, 1, refused],
    ['secret', secret, '', refused],
    ['addedHeaderName', addedHeaderName, 'X-Key', 'X-Key'],
    ['addedHeaderName', addedHeaderName, 'X Key', refused],
    ['headerValue', headerValue, 'a b; c="d"', 'a b; c="d"'],
    ['headerValue', headerValue, 'a\r\nX-B: c', refused],
    ['headerValue', headerValue, 'ü', refused],
    ['headerSecret', headerSecret, '', refused],
    ['headerSecret', headerSecret, 'line\nline', refused],
    ['redisUrl', redisUrl, '', ''],
    ['redisUrl', redisUrl, 'rediss://u:p@host:6380/1', 'rediss://u:p@host:6380/1'],
    ['redisUrl', redisUrl, 'redis://[host', refused],
    ['redisUrl', redisUrl, 'redis://host:99999', refused],
    ['redisUrl', redisUrl, 'http://host', refused],
    ['origin', origin, 'https://app.example:8443', 'https://app.example:8443'],
    ['origin', origin, 'https://app.example/', refused],
    ['origin', origin, 'https://app.example:443', refused],
    ['origin', origin, 'https://App.example', refused],
    ['origin', origin, '*', refused],
    ['origin', origin, 'null', refused],
    ['addressRange', addressRange, '10.0.0.0/8', '10.0.0.0/8'],
    ['addressRange', addressRange, 'fd00::/8', 'fd00::/8'],
    ['addressRange', addressRange, '127.0.0.1', '127.0.0.1'],
    ['addressRange', addressRange, '10.0.0.0/33', refused],
    ['addressRange', addressRange, '10.0.0.0/', refused],
    ['addressRange', addressRange, '10.0.0.0/8/8', refused],
    ['addressRange', addressRange, 'proxy.example', refused],
    ['name', name, 'crm-2_x', 'crm-2_x'],
    ['name', name, '2crm', refused],
    ['name', name, 'crm\n', refused],
    ['name', name, 'constructor', 'constructor'],
  ];
  it.each(rows.map(([kind, schema, value, expected]) => ({ kind, value, schema, expected })))(
    '$kind reads $value',
    ({ schema, value, expected }) => expect(read(schema, value)).toEqual(expected),
  );

  it.each([
    ['http://127.0.0.1:7101', 'http://127.0.0.1:7101'],
    ['http://host:8080/', 'http://host:8080'],
    ['https://host/base/path//', 'https://host/base/path'],
    ['http://[::1]:80/x', 'http://[::1]/x'],
    ['http://host:8080 ', 'http://host:8080'],
    ['http://host/?', 'http://host'],
    ['http://host/a#', 'http://host/a'],
  ])('an address %j can have paths appended as %j', (text, expected) => {
    expect(read(httpUrl, text)).toBe(expected);
    expect(new URL(`${expected}/v3/x?y=1`).pathname).toMatch(/\/v3\/x$/);
  });

  it.each([
    '',
    'host',
    '//host',
    'host:80',
    'ftp://host',
    'file:///etc',
    'http://',
    'http://u:p@host',
    'http://u@host',
    'http://host?x=1',
    'http://host/#a',
    'javascript:1',
    'http://a b',
  ])('is no address: %j', (text) => expect(read(httpUrl, text)).toEqual(refused));

  it('are never read from something of another kind', () => {
    const schemas = { duration, timeLimit, wholeSeconds, bytes, rateWindow, httpUrl, name, secret };
    const others = fc.oneof(
      fc.integer(),
      fc.double(),
      fc.constant(null),
      fc.array(fc.string()),
      fc.object(),
      fc.boolean(),
    );
    fc.assert(
      fc.property(fc.constantFrom(...Object.values(schemas)), others, (schema, value) => {
        expect(schema.safeParse(value).success).toBe(false);
      }),
    );
  });
});

describe('the type of a body', () => {
  const isRead = (contentType: string) => requestBody.safeParse({ xml: '<a/>', contentType }).success;
  it.each(['text/xml\r\nX-Admin: 1', 'text/xml\0', 'text/xml; a=ü'])(
    'is no text that ends its header: %j',
    (type) => expect(isRead(type)).toBe(false),
  );
  it('is printable', () => expect(isRead('application/soap+xml; charset=utf-8')).toBe(true));
});
