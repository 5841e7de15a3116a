import assert from 'node:assert/strict';
import { assertRefused } from '../harness/errors.ts';
import {
  answerOf,
  answerWell,
  anyUser,
  faultySetup,
  goodBody,
  impatientSetup,
  nativeUser,
} from '../harness/harm/faulty-source.ts';
import { startUpstream } from '../../support/upstream/scripted-upstream.ts';
import type { BenchRow } from '../harness/row.ts';

const redirects: BenchRow = {
  id: 'U15',
  name: 'redirects to another host, another port, a file, the metadata of a cloud, itself – 502, and nobody else is asked',
  fast: true,
  async run(bench) {
    const { gateway, upstream } = await faultySetup(bench);
    const spies = [
      bench.own(await startUpstream(undefined, { host: '127.0.0.2', port: upstream.port })),
      bench.own(await startUpstream()),
    ];
    const targets = [
      ...spies.map(({ origin }) => `${origin}/users/1`),
      'file:///etc/passwd',
      '//169.254.169.254/',
    ];
    const answers = [301, 302, 303, 307, 308].flatMap((status) =>
      [...targets, `${upstream.origin}/users/1`].map((target) => ({ status, target })),
    );
    const before = upstream.calls;
    for (const { status, target } of answers) {
      upstream.does(({ socket }) => void socket.write(answerOf(status, '', [`Location: ${target}`])));
      const answer = await gateway.ask(anyUser());
      assertRefused(answer, 502, 'upstream_invalid_response');
      assert.equal(answer.headers['location'], undefined);
    }
    const elsewhere = spies.reduce((sum, spy) => sum + spy.connections, 0);
    assert.deepEqual([elsewhere, upstream.calls - before], [0, answers.length]);
    return { redirects: answers.length, elsewhere };
  },
};

const unknown: BenchRow = {
  id: 'U18',
  name: '404 for a user who does not exist, and 404 of a path that is wrong – 404 where the source says so in its own words, else 502',
  fast: true,
  async run(bench) {
    const { gateway, upstream } = await faultySetup(bench);
    const replies: [number, string, string, number][] = [
      [404, '{"error":"no_such_user"}', 'application/json', 404],
      [404, '<h1>Not Found</h1>', 'text/html', 502],
      [404, '{"error":"no_such_route"}', 'application/json', 502],
      [404, '', 'application/json', 502],
      [410, '{"error":"no_such_user"}', 'application/json', 502],
    ];
    let misread = 0;
    for (const [status, body, type, expected] of replies) {
      upstream.does(({ socket }) => void socket.write(answerOf(status, body, [`Content-Type: ${type}`])));
      // A user of whom the truth knows nothing.
      const answer = await gateway.ask(anyUser().replace('user_', 'user_2000000'));
      if (answer.status !== expected) misread += 1;
    }
    assert.equal(misread, 0);
    return { answers: replies.length, misread };
  },
};

const length = (id: number) => `Content-Length: ${Buffer.byteLength(goodBody(id))}`;

const framing: BenchRow = {
  id: 'U20',
  name: '1xx, 204 with a body, two lengths, a length and chunks, a broken line, a header of 1 MB, 100 cookies, bytes behind the reply – the record or 502, what follows belongs to nobody, and no header of the source comes out',
  fast: true,
  async run(bench) {
    const { gateway, upstream } = await faultySetup(bench);
    const foreign = answerOf(200, goodBody(999_999));
    const cookies = Array.from({ length: 100 }, (_, n) => `Set-Cookie: c${n}=v`);
    const replies: ((id: number) => Buffer)[] = [
      (id) => Buffer.concat([Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'), answerOf(200, goodBody(id))]),
      (id) =>
        Buffer.concat([Buffer.from('HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n'), answerOf(200, goodBody(id))]),
      (id) => answerOf(204, goodBody(id), [length(id)]),
      (id) => answerOf(200, goodBody(id), [length(id), 'Content-Length: 3']),
      (id) => answerOf(200, goodBody(id), [length(id), 'Transfer-Encoding: chunked']),
      (id) => answerOf(200, goodBody(id), ['X-A: b\rSet-Cookie: c=d']),
      (id) => answerOf(200, goodBody(id), [`X-Long: ${'x'.repeat(1024 ** 2)}`]),
      (id) => answerOf(200, goodBody(id), ['X-Inner: host7', 'Server: legacy', ...cookies]),
      (id) => Buffer.concat([answerOf(200, goodBody(id)), foreign]),
      () => Buffer.from('SSH-2.0-OpenSSH_9.2\r\n'),
    ];
    let [desyncs, leaked] = [0, 0];
    for (const reply of replies) {
      for (const script of [reply, undefined]) {
        upstream.does((asked) => {
          if (script === undefined) answerWell(asked);
          else asked.socket.write(script(asked.id));
        });
        const { status, body, headers } = await gateway.ask(anyUser());
        assert.ok(
          status === 502 || status === 200 || (status === 504 && script !== undefined),
          String(status),
        );
        // The next one comes on a connection that nothing is left on.
        if (script === undefined) assert.equal(status, 200);
        if (body.includes('999999')) desyncs += 1;
        if (/cookie|x-inner|legacy|x-long/i.test(JSON.stringify(headers))) leaked += 1;
      }
    }
    assert.deepEqual([desyncs, leaked], [0, 0]);
    return { replies: replies.length, desyncs, leaked };
  },
};

const late: BenchRow = {
  id: 'U21',
  name: 'a reply comes after its time, when another question is under way – 504 for the first; its connection is ended, so that the second has its own reply',
  fast: true,
  async run(bench) {
    const { gateway, upstream } = await impatientSetup(bench);
    const held: (() => void)[] = [];
    upstream.does((asked) => void held.push(() => answerWell(asked)));
    const first = await Promise.all(Array.from({ length: 4 }, () => gateway.ask(anyUser())));
    for (const answer of first) assertRefused(answer, 504, 'upstream_timeout');
    upstream.does((asked) => {
      for (const reply of held.splice(0)) reply();
      setTimeout(() => answerWell(asked), 10);
    });
    // Whether it is the right user is what the harness looks at in every row.
    await bench.until(async () => {
      const second = await Promise.all(Array.from({ length: 8 }, () => gateway.ask(anyUser())));
      // Where the machine is busy, a sound reply may come too late as well.
      return second.every(({ status }) => status === 200);
    });
    return { 'cross-talk': 0 };
  },
};

const drift: BenchRow = {
  id: 'U22',
  name: 'fields of the records are renamed, emptied, or of another type – null, counted per field; without its id the record is 502; never a guess',
  fast: true,
  async run(bench) {
    const { gateway, upstream } = await faultySetup(bench);
    const changes: [string, unknown][] = [
      ['name', undefined],
      ['name', { first: 'A' }],
      ['mail', 17],
      ['mail', ['a@b']],
      ['made', 'tomorrow'],
      ['made', undefined],
      ['id', undefined],
      ['id', 'abc'],
    ];
    const counted = () => gateway.counted('portico_unreadable_fields_total', 'source="faulty"');
    let reported = 0;
    for (const [index, [field, value]] of changes.entries()) {
      const before = await counted();
      upstream.does(({ socket }) => {
        const rows = [{ ...nativeUser(1), [field]: value }];
        socket.write(answerOf(200, JSON.stringify({ total: 1, rows })));
      });
      const { status, body } = await gateway.ask(`/v1/users?limit=${50 + index}`);
      if (field === 'id') assert.equal(status, 502);
      else assert.match(body, /null/);
      if (status === 502 || (await counted()) > before) reported += 1;
    }
    assert.equal(reported, changes.length);
    return { changes: changes.length, reported };
  },
};

/** Replies of an upstream without manners. */
export const upstreamManners: readonly BenchRow[] = [redirects, unknown, framing, late, drift];
