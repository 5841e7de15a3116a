import assert from 'node:assert/strict';
import { oddTargets, oddValues, holdsControl } from '../../support/hostile/odd-values.ts';
import {
  fragileSource,
  fragileUsers,
  startFragileUpstream,
} from '../../support/upstream/fragile-upstream.ts';
import { serving } from '../../support/upstream/scripted-upstream.ts';
import type { FaultBench } from '../harness/bench.ts';
import { assertRefused } from '../harness/errors.ts';
import type { BenchRow } from '../harness/row.ts';

/** A gateway in front of a source that fails at odd values; nothing of its answers is kept. */
async function fragileSetup(bench: FaultBench) {
  const upstream = bench.own(await startFragileUpstream());
  const entry = { source: 'fragile', deadline: '30s', cache: { fresh: '0s', notFound: '0s' } };
  const gateway = await bench.gateway({
    config: { resources: { users: entry, products: entry } },
    sources: { 'fragile.yaml': fragileSource('fragile', upstream.origin, 'timeout: 20s') },
    truth: () => undefined,
  });
  return { gateway, upstream };
}

const wellAsked = [...fragileUsers.map((id) => `/v1/users/${id}`), '/v1/users', '/v1/products?category=Toys'];

const oneCaller: BenchRow = {
  id: 'U24',
  name: 'one caller against the breaker: 1,000 odd values, as every parameter and every id, at which the source fails – other callers keep their answers: the breaker stays closed; no control character reaches the source',
  async run(bench) {
    const { gateway, upstream } = await fragileSetup(bench);
    // An address of a request has no blanks, quotes or backslashes.
    const targets = oddValues(1_000)
      .flatMap(oddTargets)
      .map((target) => encodeURI(target).replaceAll('%25', '%'));
    let answered = 0;
    let failed = 0;
    for (const [index, target] of targets.entries()) {
      const { status } = await gateway.ask(target);
      assert.ok([200, 400, 404, 502].includes(status), `${target}: ${status}`);
      // Seldom, so that the odd values are all that the source is asked for a while.
      if (index % 100 < 99) continue;
      for (const path of wellAsked) {
        answered += 1;
        if ((await gateway.ask(path)).status !== 200) failed += 1;
      }
    }
    assert.equal(failed, 0);
    assert.equal(await gateway.counted('portico_breaker_state', 'source="fragile"'), 0);
    const told = upstream.requests.flatMap(({ target, headers }) => [
      target,
      ...Object.values(headers).map(String),
    ]);
    assert.deepEqual(told.filter(holdsControl), []);
    return { 'odd questions': targets.length, answered, failed };
  },
};

const oneQuestion: BenchRow = {
  id: 'U25',
  name: 'a dead source that one caller asks for one record only: it answers 500, or refuses connections – the breaker opens all the same: 503 upstream_unavailable, and the source is not asked',
  fast: true,
  async run(bench) {
    const { gateway, upstream } = await fragileSetup(bench);
    const path = '/v1/users/user_ada';
    assert.equal((await gateway.ask(path)).status, 200);
    upstream.become(serving(() => ({ status: 500, body: {} })));
    const from = upstream.calls;
    let answer = await gateway.ask(path);
    while (answer.status === 502) answer = await gateway.ask(path);
    const calls = upstream.calls - from;
    // The last ones are under way while the health probe is sent.
    assert.ok(calls <= 25, `${calls} calls`);
    assertRefused(answer, 503, 'upstream_unavailable');
    assertRefused(await gateway.ask(path), 503, 'upstream_unavailable');
    assert.equal(upstream.calls - from, calls, 'nothing is asked while the breaker is open');
    return { calls };
  },
};

/** What one caller can do to others at the breaker. */
export const upstreamOneCaller: readonly BenchRow[] = [oneCaller, oneQuestion];
