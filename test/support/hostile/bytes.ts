import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { REPLY_MARKER, type Mutant, type ReplyChange } from './case.ts';

/** 16 MiB of nothing, in a few kilobytes. */
const NOTHING = Buffer.alloc(16 * 1024 ** 2, 0x20);
const GZIPPED = gzipSync(NOTHING);
const BOMBS = [
  GZIPPED,
  gzipSync(GZIPPED),
  brotliCompressSync(NOTHING, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
];

const HTML = `<!doctype html><html><head><title>${REPLY_MARKER}</title></head><body><h1>Sign in</h1>${REPLY_MARKER}</body></html>`;

function setHeader({ headers }: Mutant, name: string, value: string): void {
  const at = headers.findIndex(([known]) => known.toLowerCase() === name.toLowerCase());
  if (at === -1) headers.push([name, value]);
  else headers[at] = [name, value];
}

function encode(mutant: Mutant, name: string, body: Buffer): void {
  mutant.body = body;
  setHeader(mutant, 'Content-Encoding', name);
}

const STATUSES = [
  [201, 202, 203, 204, 205, 206, 300, 301, 302, 304, 307],
  [400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 413, 416, 418, 422, 429],
  [500, 501, 502, 503, 504, 520, 599, 600, 999],
].flat();

const TYPES = [
  'text/html',
  'text/plain; charset=utf-8',
  'application/json; charset=utf-16',
  `application/json; charset=${REPLY_MARKER}`,
  `text/${REPLY_MARKER}`,
  'application/json;;;charset',
  'application/json, text/html',
  'APPLICATION/JSON',
  'multipart/form-data; boundary=x',
  '',
  'application/json; charset="utf-8',
  `${'a'.repeat(5_000)}/json`,
];

const LYING_HEADERS: readonly (readonly [string, string])[] = [
  ['Set-Cookie', `session=${REPLY_MARKER}; Path=/`],
  ['X-Request-Id', REPLY_MARKER],
  ['X-Internal-Token', REPLY_MARKER],
  ['Location', `http://127.0.0.1:9/${REPLY_MARKER}`],
  ['Link', `<http://evil.example/${REPLY_MARKER}?page=2>; rel="next"`],
  ['Link', `<?${REPLY_MARKER}=1>; rel="next", <?a=1>; rel=next; title="${'"'.repeat(50)}"`],
  ['Retry-After', REPLY_MARKER],
  ['Retry-After', '99999999999999999999'],
  ['Retry-After', '-1'],
  ['ETag', `"${REPLY_MARKER}"`],
  ['Cache-Control', 'public, max-age=31536000'],
  ['Age', '-5'],
  ['Vary', REPLY_MARKER],
  ['WWW-Authenticate', `Basic realm="${REPLY_MARKER}"`],
  ['Access-Control-Allow-Origin', '*'],
  ['Connection', 'upgrade'],
  ['Trailer', REPLY_MARKER],
  ['__proto__', REPLY_MARKER],
  ['Content-Range', `items 0-1/${REPLY_MARKER}`],
];

const TOTALS = [
  REPLY_MARKER,
  '',
  '-1',
  '1e3',
  '0x10',
  '١٢',
  '1,000',
  '5, 5',
  '0',
  '99999999999999999999',
  '3.5',
  'NaN',
  '*',
];

/** What may become of the status, the headers and the bytes of a reply, by name. */
export const byteMutations: Readonly<Record<string, ReplyChange>> = {
  status: (mutant, random) => void (mutant.status = random.pick(STATUSES)),
  type: (mutant, random) => setHeader(mutant, 'Content-Type', random.pick(TYPES)),
  untyped: ({ headers }) =>
    void headers.splice(
      headers.findIndex(([name]) => /^content-type$/i.test(name)),
      1,
    ),
  html(mutant, random) {
    mutant.body = Buffer.from(HTML);
    if (random.chance(0.5)) setHeader(mutant, 'Content-Type', 'text/html');
    if (random.chance(0.5)) mutant.status = random.pick([200, 401, 403, 404, 500, 503]);
  },
  empty: (mutant) => void (mutant.body = Buffer.alloc(0)),
  header(mutant, random) {
    const [name, value] = random.pick(LYING_HEADERS);
    mutant.headers.push([name, value]);
  },
  // Every header of the source's own that is not the type, such as X-Total-Count.
  ownHeader(mutant, random) {
    const own = mutant.headers.filter(([name]) => !/^content-type$/i.test(name));
    if (own.length > 0) setHeader(mutant, random.pick(own)[0], random.pick(TOTALS));
  },
  manyHeaders: (mutant, random) => {
    const count = random.pick([100, 500, 3_000]);
    for (let at = 0; at < count; at += 1) mutant.headers.push([`X-${REPLY_MARKER}-${at}`, REPLY_MARKER]);
  },
  longHeader: (mutant, random) =>
    void mutant.headers.push(['X-Long', 'x'.repeat(random.pick([1_000, 20_000, 200_000]))]),
  oddHeader: (mutant, random) => {
    const odd: readonly [string, string][] = [
      ['X-Nul', `a\u0000${REPLY_MARKER}`],
      ['X-Folded', `a\r\n ${REPLY_MARKER}`],
      ['X-Split', `a\r\nSet-Cookie: ${REPLY_MARKER}=1`],
      ['X Space', REPLY_MARKER],
      ['', REPLY_MARKER],
      ['X-Latin', 'ÿþ'],
      ['X-Lone-Newline', `a\nX-More: ${REPLY_MARKER}`],
    ];
    mutant.headers.push(random.pick(odd));
  },
  cut: (mutant, random) => void (mutant.body = mutant.body.subarray(0, random.below(mutant.body.length + 1))),
  flip(mutant, random) {
    mutant.body = Buffer.from(mutant.body);
    for (let count = 1 + random.below(4); count > 0 && mutant.body.length > 0; count -= 1)
      mutant.body[random.below(mutant.body.length)] = random.pick([
        0,
        0xff,
        0xc0,
        0x22,
        0x7b,
        random.below(256),
      ]);
  },
  insert(mutant, random) {
    const at = random.below(mutant.body.length + 1);
    const bytes = Buffer.from(
      random.pick([
        [0],
        [0, 0, 0],
        [0xff],
        [0xc3],
        [0xed, 0xa0, 0x80],
        [0xef, 0xbb, 0xbf],
        [0xf4, 0x90, 0x80, 0x80],
      ]),
    );
    mutant.body = Buffer.concat([mutant.body.subarray(0, at), bytes, mutant.body.subarray(at)]);
  },
  bom(mutant, random) {
    const bom = random.pick([
      [0xef, 0xbb, 0xbf],
      [0xff, 0xfe],
      [0xfe, 0xff],
      [0, 0, 0xfe, 0xff],
    ]);
    mutant.body = Buffer.concat([Buffer.from(bom), mutant.body]);
  },
  charset(mutant, random) {
    const text = mutant.body.toString('utf8');
    mutant.body = Buffer.from(text, random.pick(['latin1', 'utf16le', 'ascii', 'base64url']));
    if (random.chance(0.3)) mutant.body = Buffer.concat([Buffer.from([0xff, 0xfe]), mutant.body]);
  },
  gzip: (mutant) => encode(mutant, 'gzip', gzipSync(mutant.body)),
  deflate: (mutant) => encode(mutant, 'deflate', deflateSync(mutant.body)),
  gzipCut(mutant, random) {
    const whole = gzipSync(mutant.body);
    encode(mutant, 'gzip', whole.subarray(0, random.below(whole.length)));
  },
  gzipTail: (mutant) => encode(mutant, 'gzip', Buffer.concat([gzipSync(mutant.body), gzipSync(mutant.body)])),
  gzipBroken(mutant, random) {
    const whole = gzipSync(mutant.body);
    whole[random.below(whole.length)] = random.below(256);
    encode(mutant, 'gzip', whole);
  },
  gzipLie: (mutant, random) =>
    setHeader(
      mutant,
      'Content-Encoding',
      random.pick(['gzip', 'br', 'deflate', REPLY_MARKER, 'gzip, gzip', 'zstd']),
    ),
  gzipSilent: (mutant) => void (mutant.body = gzipSync(mutant.body)),
  bomb: (mutant, random) => encode(mutant, random.pick(['gzip', 'br', 'gzip, gzip']), random.pick(BOMBS)),
  large: (mutant, random) =>
    void (mutant.body = Buffer.alloc(random.pick([300_000, 2_000_000]), random.pick([0x20, 0x5b, 0x30]))),
};
