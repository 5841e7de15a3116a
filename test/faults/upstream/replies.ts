import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib';
import type { FaultBench } from '../harness/bench.ts';
import { assertRefused } from '../harness/errors.ts';
import {
  answerOf,
  answerWell,
  anyUser,
  faultySetup,
  goodBody,
  nativeUser,
} from '../harness/harm/faulty-source.ts';
import type { FaultGateway } from '../harness/gateway.ts';
import type { UpstreamRequest } from '../../support/upstream/scripted-upstream.ts';
import type { BenchRow, Figure } from '../harness/row.ts';

/** Makes the bytes of a reply to a question for one user. */
type Reply = (id: number) => Buffer;

/** Has the shared upstream give each of these replies; the statuses that callers got. */
async function giveAll(bench: FaultBench, replies: readonly Reply[]): Promise<readonly number[]> {
  const { gateway, upstream } = await faultySetup(bench);
  const statuses: number[] = [];
  for (const reply of replies) {
    upstream.does(({ id, socket }) => void socket.end(reply(id)));
    const { status } = await gateway.ask(anyUser());
    statuses.push(status);
  }
  return statuses;
}

/** A row whose replies are all refused: none of them may be taken for a record. */
function refusedRow(id: string, fault: string, replies: readonly Reply[]): BenchRow {
  return {
    id,
    name: `${fault} – 502 upstream_invalid_response; nothing of the body in the answer`,
    fast: true,
    async run(bench): Promise<Figure> {
      const statuses = await giveAll(bench, replies);
      const accepted = statuses.filter((status) => status === 200).length;
      assert.deepEqual(new Set(statuses), new Set([502]), String(statuses));
      return { replies: replies.length, accepted };
    },
  };
}

const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n0\r\n\r\n`;
const whole =
  (body: string | Buffer, ...headers: string[]): Reply =>
  () =>
    answerOf(200, body, headers);
const recorded =
  (record: (id: number) => string, ...headers: string[]): Reply =>
  (id) =>
    answerOf(200, record(id), headers);

const short = refusedRow('U6', 'a body is short, though its framing is whole', [
  recorded((id) => chunk(goodBody(id).slice(0, -9)), 'Transfer-Encoding: chunked'),
  (id) => answerOf(200, gzipSync(goodBody(id)).subarray(0, -8), ['Content-Encoding: gzip']),
  (id) => answerOf(200, gzipSync(goodBody(id)).subarray(0, -1), ['Content-Encoding: gzip']),
  (id) => answerOf(200, brotliCompressSync(goodBody(id)).subarray(0, -3), ['Content-Encoding: br']),
]);

const garbage = refusedRow(
  'U7',
  'the body is HTML, nothing, garbage, half of JSON, NaN or without the record',
  [
    whole('<html><h1>It works</h1></html>', 'Content-Type: text/html'),
    whole('<html><h1>It works</h1></html>'),
    whole(''),
    whole(Buffer.from([0, 255, 254, 1, 2])),
    recorded((id) => goodBody(id).slice(0, 40)),
    whole('{"user":NaN}'),
    whole('null'),
    whole('[]'),
    whole('{}'),
    recorded((id) => `${goodBody(id)}${goodBody(id)}`),
  ],
);

const types = refusedRow('U8', 'sound JSON, or XML, of a type that the source does not give', [
  recorded(goodBody, 'Content-Type: text/html'),
  recorded(goodBody, 'Content-Type: application/octet-stream'),
  whole('<user><id>1</id></user>', 'Content-Type: application/xml'),
]);

const MIB = 1024 ** 2;

/** The most memory that a process held since it was asked last, in MiB. */
function peakMib(gateway: FaultGateway): number {
  const { pid } = gateway.process;
  const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  return Number(peak) / 1024;
}

/** So much of nothing in gzip: one piece again and again, which is one body (RFC 1952, section 2.2). */
function gzipBomb(mib: number): Buffer {
  const one = gzipSync(Buffer.alloc(MIB));
  return Buffer.concat(Array.from({ length: mib }, () => one));
}

function flood({ socket }: UpstreamRequest): void {
  const piece = Buffer.alloc(MIB, 32);
  socket.write(answerOf(200, '', [`Content-Length: ${200 * MIB}`]));
  const pour = () => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on('drain', pour);
  pour();
}

const bombs: BenchRow = {
  id: 'U9',
  name: 'bodies of 200 MB, and of 1 GiB once unpacked – 502 upstream_invalid_response as soon as net.bytesMax is passed',
  fast: true,
  async run(bench) {
    const { gateway, upstream } = await faultySetup(bench);
    const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
    const packed = {
      gzip: gzipBomb(bench.strict ? 1024 : 128),
      br: brotliCompressSync(Buffer.alloc(64 * MIB), brotli),
      zstd: zstdCompressSync(Buffer.alloc(64 * MIB)),
      'gzip, gzip': gzipSync(gzipBomb(64)),
    };
    upstream.does(answerWell);
    await gateway.ask(anyUser());
    peakMib(gateway);
    await gateway.ask(anyUser());
    const before = peakMib(gateway);
    let slowestMs = 0;
    const ask = async (script: (asked: UpstreamRequest) => void) => {
      upstream.does(script);
      const answer = await gateway.ask(anyUser());
      assertRefused(answer, 502, 'upstream_invalid_response');
      slowestMs = Math.max(slowestMs, answer.ms);
    };
    await ask(flood);
    for (const [coding, body] of Object.entries(packed))
      await ask(({ socket }) => void socket.end(answerOf(200, body, [`Content-Encoding: ${coding}`])));
    const more = peakMib(gateway) - before;
    bench.atMost('MiB more', more, 32);
    bench.atMost('ms', slowestMs, 300);
    return { 'slowest ms': slowestMs, 'MiB more': more };
  },
};

const large: BenchRow = {
  id: 'U10',
  name: 'a reply of 5 MB of sound JSON – 200; other callers do not wait for its reading',
  async run(bench) {
    const { gateway, upstream } = await faultySetup(bench);
    const note = 'x'.repeat(50_000);
    const rows = Array.from({ length: 100 }, (_, index) => ({ ...nativeUser(index + 1), note }));
    const body = JSON.stringify({ total: 100, rows });
    upstream.does((asked) => {
      if (asked.target.startsWith('/users?')) asked.socket.write(answerOf(200, body));
      else answerWell(asked);
    });
    let largeMs = 0;
    const others = await gateway.load(
      async () => {
        for (let n = 1; n <= (bench.strict ? 10 : 2); n += 1) {
          const answer = await gateway.ask('/v1/users?limit=100');
          assert.equal(answer.status, 200);
          largeMs = Math.max(largeMs, answer.ms);
        }
      },
      { callers: 4, path: anyUser },
    );
    assert.deepEqual(Object.keys(others.statuses), ['200']);
    bench.atMost('ms of the others', others.quantileMs(0.99), 150);
    return { 'large ms': largeMs, 'others ms': others.quantileMs(0.99) };
  },
};

const deep = refusedRow(
  'U11',
  'JSON nested 10,000 to 1,000,000 deep',
  [10_000, 100_000, 1_000_000].flatMap((depth) => [
    recorded((id) => `{"user":{"id":${id},"x":${'['.repeat(depth)}${']'.repeat(depth)}}}`),
    whole(`${'{"user":'.repeat(depth)}1${'}'.repeat(depth)}`),
  ]),
);

/** Replies that are not what they should be. */
export const upstreamReplies: readonly BenchRow[] = [...[short, garbage, types, bombs, large], deep];
