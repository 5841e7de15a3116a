// The schemas of single values in configuration files: durations, sizes, addresses, names, secrets.

import { isIP, isIPv4 } from 'node:net';
import * as z from 'zod';
import {
  parseBytes,
  parseDuration,
  parseRateWindow,
  type RateWindow,
  writeBytes,
  writeDuration,
  writeRateWindow,
} from '../../../kernel/duration.ts';
import { Secret } from '../../../kernel/secret.ts';
import { withNotation } from './notation.ts';

/** Makes a schema for a text that `parse` accepts. `hint` is the message for other texts. */
function parsed<T>(parse: (text: string) => T | undefined, hint: string) {
  return z.string({ error: hint }).transform((text, context) => {
    const value = parse(text);
    if (value !== undefined) return value;
    context.issues.push({ code: 'custom', message: hint, input: text });
    return z.NEVER;
  });
}

/** The longest duration. A timer of more than 24.8 days (2^31 - 1 ms) would fire at once. */
const TIMER_MAX_MS = 24 * 86_400_000;

function boundedDuration(text: string, minimumMs: number): number | undefined {
  const ms = parseDuration(text);
  return ms === undefined || ms < minimumMs || ms > TIMER_MAX_MS ? undefined : ms;
}

/** A duration in milliseconds, written as `250ms`, `5s`, `10m`, `2h` or `1d`. */
export const duration = withNotation(
  parsed(
    (text) => boundedDuration(text, 0),
    'expected a duration such as 250ms, 5s, 10m, 2h or 1d, at most 24d',
  ),
  'a duration (`250ms`, `5s`, `10m`, `2h`, `1d`)',
  (ms) => writeDuration(Number(ms)),
);

/** A time limit in milliseconds, written like `duration`. It must not be zero. */
export const timeLimit = withNotation(
  parsed(
    (text) => boundedDuration(text, 1),
    'expected a duration such as 250ms, 5s, 10m, 2h or 1d, from 1ms to 24d',
  ),
  'a duration above zero (`250ms`, `5s`, `10m`)',
  (ms) => writeDuration(Number(ms)),
);

/** A duration in whole seconds, written like `duration`. */
export const wholeSeconds = withNotation(
  parsed((text) => {
    const ms = boundedDuration(text, 0);
    return ms === undefined || ms % 1_000 !== 0 ? undefined : ms / 1_000;
  }, 'expected a duration of whole seconds such as 5s, 10m or 2h, at most 24d'),
  'a duration of whole seconds (`5s`, `10m`, `2h`)',
  (seconds) => writeDuration(Number(seconds) * 1_000),
);

/** A size in bytes, written as `512B`, `64KiB`, `2MiB` or `1GiB`. */
export const bytes = withNotation(
  parsed(parseBytes, 'expected a size such as 512B, 64KiB, 2MiB or 1GiB'),
  'a size (`512B`, `64KiB`, `2MiB`)',
  (size) => writeBytes(Number(size)),
);

/** A rate-limit window, written as `20 per 1s`. */
export const rateWindow = withNotation(
  parsed((text) => {
    const parsedWindow = parseRateWindow(text);
    return parsedWindow !== undefined && parsedWindow.seconds * 1_000 <= TIMER_MAX_MS
      ? parsedWindow
      : undefined;
  }, 'expected a window such as "20 per 1s" or "600 per 60s": at least 1 point, whole seconds, at most 24d'),
  'a window (`20 per 1s`)',
  (value) => writeRateWindow(value as RateWindow),
);

/** Makes a schema for a number that may also be written as a text with this pattern. `hint` is the message for anything else. */
export function numeric(number: z.ZodNumber | z.ZodInt, pattern: RegExp, hint: string) {
  return z.union([number, z.string().regex(pattern).transform(Number)], { error: hint });
}

/** A whole number. Digits in a text are accepted too, because the value of `${PORT}` is a text. */
export function integer(minimum: number, maximum: number) {
  const schema = numeric(z.int(), /^\d{1,15}$/, 'expected a whole number').pipe(
    z.number().min(minimum, `must be at least ${minimum}`).max(maximum, `must be at most ${maximum}`),
  );
  return withNotation(schema, `${minimum} to ${maximum}`);
}

/** A TCP port to listen on, from 0 to 65,535. For 0, the system chooses a free port. */
export const port = integer(0, 65_535);

/** A share from 0 to 1. Digits in a text are accepted too, because the value of `${RATIO}` is a text. */
export const share = withNotation(
  numeric(z.number(), /^(?:0|1|0?\.\d{1,9}|[01]\.\d{1,9})$/, 'expected a number from 0 to 1').pipe(
    z.number().min(0, 'must be at least 0').max(1, 'must be at most 1'),
  ),
  '0 to 1',
);

/** A boolean. The words are accepted too, because the value of `${FLAG}` is a text. */
export const flag = withNotation(
  z.union([z.boolean(), z.enum(['true', 'false']).transform((word) => word === 'true')], {
    error: 'expected true or false',
  }),
  '`true` or `false`',
);

/** A text that must never be printed; it is parsed to a `Secret`. */
export const secret = withNotation(
  z
    .string()
    .min(1, 'must not be empty')
    .transform((text) => new Secret(text)),
  'a secret text',
);

/** The token that follows `Bearer` in an Authorization header (RFC 6750, section 2.1). An empty text means no token. */
export const bearerToken = withNotation(
  z
    .string()
    .regex(/^(?:[A-Za-z0-9._~+/-]{16,512}=*)?$/, 'expected 16 to 512 of A-Z, a-z, 0-9 and -._~+/')
    .transform((text) => (text === '' ? undefined : new Secret(text))),
  'a secret token of 16 to 512 characters of A-Z, a-z, 0-9 and -._~+/',
);

/** The name of a header (RFC 9110, section 5.1). */
export const headerName = withNotation(
  z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'expected the name of a header'),
  'the name of a header',
);

/** Headers of the connection and of the body's length. Setting one of them could split one request into two. */
const FRAMING =
  /^(?:host|connection|keep-alive|te|trailer|transfer-encoding|content-length|upgrade|expect|proxy-.*)$/i;

/** The name of a header that a configuration may add to requests. */
export const addedHeaderName = headerName.refine(
  (name) => !FRAMING.test(name),
  'this header belongs to the connection and is set by the gateway alone',
);

const HEADER_VALUE = /^[\x20-\x7e]*$/;
const HEADER_VALUE_HINT = 'expected printable ASCII, because it goes into a header';

/** The value of a header. The HTTP client would drop an invalid character silently, so it is refused here. */
export const headerValue = withNotation(
  z.string().regex(HEADER_VALUE, HEADER_VALUE_HINT),
  'a text of printable ASCII',
);

/** The value of a header that must never be printed. */
export const headerSecret = withNotation(
  z
    .string()
    .min(1, 'must not be empty')
    .regex(HEADER_VALUE, HEADER_VALUE_HINT)
    .transform((text) => new Secret(text)),
  'a secret text of printable ASCII',
);

/** An http or https address without credentials, query or fragment; trailing slashes are removed. */
export const httpUrl = withNotation(
  parsed((text) => {
    if (!URL.canParse(text)) return undefined;
    const url = new URL(text);
    const plain = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
    // The normalised URL is returned, because a path appended to the text "http://host? " would become a query.
    return plain && (url.protocol === 'http:' || url.protocol === 'https:')
      ? (url.origin + url.pathname).replace(/\/+$/, '')
      : undefined;
  }, 'expected an http:// or https:// address without credentials, query or fragment'),
  'an `http://` or `https://` address without credentials, query or fragment',
);

const REDIS_HINT = 'expected redis://… or rediss://…, or nothing for the embedded mode';

/** The address of a Redis, which may contain credentials. An empty text means no Redis. */
export const redisUrl = z
  .string()
  .regex(/^(rediss?:\/\/.*)?$/, REDIS_HINT)
  .refine((text) => text === '' || URL.canParse(text), REDIS_HINT);

/** A host (a name, an IPv4 address, or an IPv6 address in brackets) and a port. */
export const hostAndPort = withNotation(
  parsed((text) => {
    const [, host, address, digits] =
      /^(?:([A-Za-z0-9._-]{1,253})|\[([0-9A-Fa-f:.]{2,45})\]):(\d{1,5})$/.exec(text) ?? [];
    const listens = { host: host ?? address ?? '', port: Number(digits) };
    const real = address === undefined || isIP(address) === 6;
    return real && listens.port >= 1 && listens.port <= 65_535 ? listens : undefined;
  }, 'expected a host and a port such as redis-1.example:6379 or [::1]:6379'),
  'a host and a port (`redis-1.example:6379`)',
);

/** The origin of a web page as browsers send it: scheme, host, and the port if it is not the default. */
export const origin = z
  .string()
  .refine(
    (text) => /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text,
    'expected an origin such as https://app.example, as browsers send it, without a path',
  );

/** An IP address, or a CIDR range such as 10.0.0.0/8. */
export const addressRange = z
  .string()
  .refine(isAddressRange, 'expected an address or a range such as 10.0.0.0/8');

/** Whether a text is an address or a range such as 10.0.0.0/8. */
function isAddressRange(text: string): boolean {
  const [address = '', length = '0', ...more] = text.split('/');
  return (
    more.length === 0 &&
    isIP(address) !== 0 &&
    /^\d{1,3}$/.test(length) &&
    Number(length) <= (isIPv4(address) ? 32 : 128)
  );
}

/** A name that is safe in keys, labels and headers. */
export const name = withNotation(
  z.string().regex(/^[a-z][a-z0-9_-]{0,39}$/, 'expected a name of a-z, 0-9, - and _, starting with a letter'),
  'a name (a-z, 0-9, `-`, `_`, at most 40 characters)',
);

/** A permission such as `users:read`. */
export const permission = withNotation(
  z.string().regex(/^[a-z][a-z0-9_.-]*:[a-z][a-z0-9_.-]*$/, 'expected a permission such as users:read'),
  'a permission (`users:read`)',
);
