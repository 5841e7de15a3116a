import assert from 'node:assert/strict';
import { HOST, request, requestOf } from '../../support/client/raw-client.ts';
import type { FaultBench } from '../harness/bench.ts';
import type { BenchRow } from '../harness/row.ts';
import { checkRaw, exchangeRaw } from './raw.ts';

/** A target or head, with the status that it must be answered with. */
type Ask = readonly [what: string, status: number];

/** Asks for each target with a good key; the upstream must hear of none that is refused. */
async function askTargets(bench: FaultBench, asks: readonly Ask[]): Promise<void> {
  const { gateway } = await bench.shared();
  const key = `X-API-Key: ${gateway.configuredKey}`;
  for (const [target, status] of asks) {
    const before = bench.samples.calls();
    const { answers } = await exchangeRaw(gateway.port, request('GET', target, [key]), 1);
    const exchange = `${JSON.stringify(target.slice(0, 80))} → ${answers[0]?.status}`;
    assert.equal(answers[0]?.status, status, exchange);
    checkRaw(answers[0], '/v1/unknown');
    if (status !== 200)
      assert.equal(bench.samples.calls(), before, `${exchange}, and the upstream was asked`);
  }
}

/** A row in which targets are asked for. */
function targets(about: Pick<BenchRow, 'id' | 'name'>, asks: readonly Ask[]): BenchRow {
  return {
    ...about,
    fast: true,
    async run(bench) {
      await askTargets(bench, asks);
      return { cases: asks.length, 'accepted wrongly': 0 };
    },
  };
}

const floods: BenchRow = {
  id: 'C2',
  name: '17 KB of headers; 101 and 2,500 header lines; a name and a value of 20 KB – 400 bad_request in JSON, and the connection closed',
  fast: true,
  async run(bench) {
    const { gateway } = await bench.shared();
    const lines = (count: number, text = 'X: y') => Array<string>(count).fill(text);
    const heads = [
      [`X: ${'a'.repeat(17 * 1024)}`],
      [`${'X'.repeat(20 * 1024)}: a`],
      lines(17, `X: ${'a'.repeat(1_020)}`),
      lines(100),
      lines(2_500),
      lines(2_500, 'Cookie: a=b'),
    ];
    for (const head of heads) {
      const { answers } = await exchangeRaw(
        gateway.port,
        requestOf('GET /v1/users HTTP/1.1', HOST, ...head),
        1,
      );
      assert.equal(answers[0]?.status, 400, `${head.length} lines of ${head[0]?.length} bytes`);
      checkRaw(answers[0], '/v1/unknown');
    }
    return { cases: heads.length, 'accepted wrongly': 0 };
  },
};

const long = (text: string, times: number) => text.repeat(times);

const urls = targets(
  {
    id: 'C3',
    name: 'URLs beyond 8 KB; a thousand parameters – 400, or 200 with every parameter read',
  },
  [
    [`/v1/users?x=${long('a', 8_192)}`, 400],
    [`/v1/users/${long('a', 8_192)}`, 400],
    [`/v1/users?${long('&', 8_000)}`, 200],
    // What stands behind a thousand others is read all the same.
    [`/v1/users?${long('a=&', 1_001)}page=0`, 400],
    [`/v1/users?${long('a=&', 1_001)}page=1`, 200],
    [`/v1/users?page=1&${long('a&', 2_000)}page=1`, 400],
  ],
);

const encodings = targets(
  {
    id: 'C4',
    name: 'broken percent-encoding, overlong UTF-8, NUL, raw bytes and backslashes in the target – 400; 404 where it is sound but belongs to no record',
  },
  [
    ['/v1/users/%', 400],
    ['/v1/users/%f', 400],
    ['/v1/users/%zz', 400],
    ['/v1/users/%ff', 400],
    ['/v1/users/%c0%ae', 400],
    ['/v1/users/%c0%80', 400],
    ['/v1/users/%e0%80%af', 400],
    ['/v1/users/%ed%a0%80', 400],
    ['/v1/users/%f4%90%80%80', 400],
    ['/v1/users/%00', 404],
    ['/v1/users/user_3%00', 404],
    ['/v1/users/user_3%0d%0aX:y', 404],
    ['/v1/users/ü', 400],
    ['/v1/users\\user_3', 404],
    ['/v1/users/{user_3}', 404],
    ['/v1/users?sort=%', 400],
    ['/v1/users?sort=%ff', 400],
    ['/v1/users?page=%c0%b1', 400],
    ['/v1/users?page=%31', 200],
    ['/v1/users?%', 400],
  ].map(([target, status]): Ask => [String(target), Number(status)]),
);

const repeated = targets(
  {
    id: 'C5',
    name: 'parameters twice, in brackets, in other cases and spellings – 400 for one that comes twice, under any spelling; an unknown name is not looked at',
  },
  [
    ['/v1/users?page=1&page=2', 400],
    ['/v1/users?page=1&page=1', 400],
    ['/v1/users?page=1&p%61ge=2', 400],
    ['/v1/users?p%61ge=0', 400],
    ['/v1/users?%70%61%67%65=1', 200],
    ['/v1/users?page[]=0', 200],
    ['/v1/users?page[a]=0', 200],
    ['/v1/users?page%5B%5D=0', 200],
    ['/v1/users?Page=0', 200],
    ['/v1/users?page%20=0', 200],
    ['/v1/users?page%00=0', 200],
    ['/v1/users?page', 400],
    ['/v1/users?page=', 400],
    ['/v1/users?=1&page=1', 200],
    ['/v1/users?page=1;page=2', 400],
    ['/v1/products?category=a&category=b', 400],
    ['/v1/users?__proto__=1&constructor=2', 200],
  ],
);

/** What is no whole number from 1 on, in the notation of a URL. */
const NO_NUMBERS = [
  '-1',
  '0',
  '00',
  '+5',
  '%2B5',
  '1e3',
  '1E3',
  '0x10',
  '0b1',
  '0o7',
  '1.0',
  '1.',
  '.5',
  '1,000',
  '1_000',
];
const NO_TEXTS = [
  '%20',
  '%201',
  '1%20',
  '1%0a',
  '1%00',
  '%EF%BC%91',
  '%D9%A1',
  'NaN',
  'Infinity',
  '-0',
  'null',
  'true',
  '1n',
  '%ZZ',
];
const TOO_MUCH = ['1000000001', '99999999999999999999', long('9', 400), '9007199254740993', '4294967297'];

const numbers = targets(
  {
    id: 'C6',
    name: 'pages and limits that are no whole numbers, or too great – 400 invalid_parameter',
  },
  ['page', 'limit'].flatMap((name) =>
    [...NO_NUMBERS, ...NO_TEXTS, ...TOO_MUCH].map((value): Ask => [`/v1/users?${name}=${value}`, 400]),
  ),
);

const ids = targets(
  {
    id: 'C7',
    name: 'ids that lead elsewhere: dots, slashes, other hosts, control and direction marks, 8 KB – 404, or 400 where they cannot be read; the upstream is never asked',
  },
  [
    ['/v1/users/..%2fadmin', 404],
    ['/v1/users/..%2f..%2fadmin', 404],
    ['/v1/users/%2e%2e', 404],
    ['/v1/users/%2e%2e%2f', 404],
    ['/v1/users/%252e%252e%252f', 404],
    ['/v1/users/.', 404],
    ['/v1/users/..', 404],
    ['/v1/users/../users', 404],
    ['/v1/users/..%5cadmin', 404],
    ['/v1/users/user_3%2f..%2fuser_4', 404],
    ['/v1/users/user_3%3fadmin=1', 404],
    ['/v1/users/user_3%23', 404],
    ['/v1/users/user_3;jsessionid=1', 404],
    ['/v1/users/%2f%2fevil.example', 404],
    ['/v1/users/http%3a%2f%2fevil.example', 404],
    ['/v1/users/user_3%0d%0aHost:%20evil.example', 404],
    ['/v1/users/user_3%09', 404],
    ['/v1/users/%E2%80%AEuser_3', 404],
    ['/v1/users/user_3%E2%80%8B', 404],
    ['/v1/users/user_%D9%A3', 404],
    ['/v1/users/user_-1', 404],
    ['/v1/users/user_1e1', 404],
    ['/v1/users/USER_3', 404],
    ['/v1/users/3', 404],
    [`/v1/users/${long('a', 129)}`, 404],
    ["/v1/users/user_3'%20OR%20'1'='1", 404],
    ['/v1/users/user_3)(uid=*', 404],
    ['/legacy/orders/..%2fadmin', 400],
    ['/legacy/orders/%2e%2e/admin', 400],
    ['/legacy/orders/../admin', 400],
    ['/legacy/orders//admin', 400],
    ['/legacy/ordersx', 404],
  ],
);

/** What Portico reads of the caller: lines, addresses, parameters and ids. */
export const clientInput: readonly BenchRow[] = [floods, urls, encodings, repeated, numbers, ids];
