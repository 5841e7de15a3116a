import assert from 'node:assert/strict';
import { startIssuer } from '../../support/auth/issuer-server.ts';
import type { FaultGateway } from '../harness/gateway.ts';
import type { BenchRow } from '../harness/row.ts';
import { clockSkip, createShiftedClock } from '../harness/harm/shifted-clock.ts';

const POINTS = 10;
const SECONDS = 2;

/** Spends a limit at once: how many requests it let through, and the longest wait that the others were told. */
async function spend(gateway: FaultGateway): Promise<{ accepted: number; waitSeconds: number }> {
  const answers = await Promise.all(
    Array.from({ length: 2 * POINTS }, () => gateway.ask('/v1/users?limit=2')),
  );
  const refused = answers.filter(({ status }) => status === 429);
  assert.equal(answers.filter(({ status }) => status !== 200).length, refused.length);
  const waits = refused.map(({ headers }) => Number(headers['retry-after']));
  return { accepted: answers.length - refused.length, waitSeconds: Math.max(0, ...waits) };
}

/** The wall clock of the process jumps; Redis' does not. */
export const clockJumps: BenchRow = {
  id: 'P7',
  name: 'the wall clock jumps by an hour, forth and back, and by less than issuers may differ – keys 200; limits exact, Retry-After at most the window and the piece of it that counts; a token good within auth.jwt.clockTolerance 200; nothing served past its end',
  ...clockSkip,
  async run(bench) {
    const clock = bench.own(createShiftedClock());
    const redis = await bench.redis();
    const issuer = bench.own(await startIssuer());
    const jwt = { issuer: issuer.issuer, audience: issuer.audience, jwksUrl: issuer.jwksUrl, tier: 'tokens' };
    const tiers = {
      bench: { windows: [`${POINTS} per ${SECONDS}s`] },
      tokens: { windows: ['1000 per 1s'] },
    };
    const gateway = await bench.gateway({
      config: { redis: { url: redis.url }, auth: { jwt }, limits: { tiers } },
      env: clock.env,
    });
    const token = await issuer.token('ES256', { exp: Math.floor(Date.now() / 1_000) + 60 });
    let [over, waitSeconds, wrong429] = [0, 0, 0];
    for (const shift of ['+0', '+1h', '-1h', '+0']) {
      clock.shift(shift);
      // Whatever was counted before is over.
      await bench.sleep((SECONDS + 0.5) * 1_000);
      if ((await gateway.ask('/v1/users/user_3')).status === 429) wrong429 += 1;
      const spent = await spend(gateway);
      over = Math.max(over, spent.accepted + 1 - POINTS);
      waitSeconds = Math.max(waitSeconds, spent.waitSeconds);
    }
    for (const shift of ['+25s', '-25s']) {
      clock.shift(shift);
      assert.equal((await gateway.ask('/v1/users?limit=5', { key: token })).status, 200, shift);
    }
    assert.ok(over <= 0, `${over} over the limit`);
    assert.ok(waitSeconds <= SECONDS + 1, `Retry-After ${waitSeconds}`);
    assert.equal(wrong429, 0);
    return { 'wrong 429': wrong429, 'Retry-After s': waitSeconds, 'over the limit': Math.max(0, over) };
  },
};
