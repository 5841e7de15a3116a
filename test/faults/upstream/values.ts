import assert from 'node:assert/strict';
import { answerOf, anyUser, faultySetup, nativeUser } from '../harness/harm/faulty-source.ts';
import type { BenchRow } from '../harness/row.ts';

const keys: BenchRow = {
  id: 'U12',
  name: 'keys such as __proto__ and constructor, and keys that come twice – the record as it is, or 502 where two values contradict each other; nothing of the keys anywhere',
  fast: true,
  async run(bench) {
    const { gateway, upstream } = await faultySetup(bench);
    const extras = [
      '"__proto__":{"name":"polluted","isAdmin":true}',
      '"constructor":{"prototype":{"name":"polluted"}}',
      '"toString":"polluted"',
      '"id":ID',
    ];
    let polluted = 0;
    for (const extra of extras) {
      upstream.does(({ id, socket }) => {
        const user = JSON.stringify(nativeUser(id)).replace('{', `{${extra.replace('ID', String(id))},`);
        socket.write(answerOf(200, `{${extra.replace('ID', '1')},"user":${user}}`));
      });
      const { status, body } = await gateway.ask(anyUser());
      if (/polluted|isAdmin/.test(body)) polluted += 1;
      assert.ok(status === 200 || status === 502, `${extra}: ${status}`);
    }
    assert.equal(polluted, 0);
    return { replies: extras.length, polluted };
  },
};

/** Ids that no double holds, or that are no whole numbers. */
const oddIds = ['9007199254740993', '18446744073709551617', '1e400', '-0', '1.5', '1e3', 'true'];

const ids: BenchRow = {
  id: 'U13',
  name: 'ids above 2^53, 1e400, -0, fractions – to the digit, or 502: never rounded',
  fast: true,
  async run(bench) {
    const { gateway, upstream } = await faultySetup(bench);
    let wrong = 0;
    for (const [index, id] of oddIds.entries()) {
      upstream.does(({ socket }) => {
        const row = JSON.stringify(nativeUser(1)).replace('"id":1', `"id":${id}`);
        socket.write(answerOf(200, `{"total":1,"rows":[${row}]}`));
      });
      const { status, body } = await gateway.ask(`/v1/users?limit=${index + 1}`);
      if (status === 502) continue;
      const answeredId = (JSON.parse(body) as { data: { id: string }[] }).data[0]?.id;
      if (status !== 200 || answeredId !== `user_${id}`) wrong += 1;
    }
    assert.equal(wrong, 0);
    return { ids: oddIds.length, 'other ids': wrong };
  },
};

const latin = (id: number) => JSON.stringify({ user: { ...nativeUser(id), name: 'Jürgen' } });

const charsets: BenchRow = {
  id: 'U14',
  name: 'Latin-1 and UTF-16, declared and undeclared, and bytes that are no UTF-8 – read as its charset says, or 502: no text that is not in the source',
  fast: true,
  async run(bench) {
    const { gateway, upstream } = await faultySetup(bench);
    const json = 'Content-Type: application/json';
    const replies: [readonly string[], BufferEncoding, number][] = [
      [[`${json}; charset=iso-8859-1`], 'latin1', 200],
      [[`${json}; charset=utf-16le`], 'utf16le', 200],
      [[`${json}; charset=utf-8`], 'utf8', 200],
      [[json], 'latin1', 502],
      [[json], 'utf16le', 502],
      [[`${json}; charset=utf-8`], 'latin1', 502],
      [[`${json}; charset=klingon`], 'utf8', 502],
    ];
    let mojibake = 0;
    for (const [headers, encoding, expected] of replies) {
      upstream.does(
        ({ id, socket }) => void socket.write(answerOf(200, Buffer.from(latin(id), encoding), headers)),
      );
      // No number of those that the truth knows: the name is another.
      const { status, body } = await gateway.ask(anyUser().replace('user_', 'user_1000000'));
      assert.equal(status, expected, `${headers.join()} in ${encoding}`);
      if (status === 200 && !body.includes('"Jürgen"')) mojibake += 1;
    }
    assert.equal(mojibake, 0);
    return { replies: replies.length, mojibake };
  },
};

/** Values that are easily misread. */
export const upstreamValues: readonly BenchRow[] = [keys, ids, charsets];
