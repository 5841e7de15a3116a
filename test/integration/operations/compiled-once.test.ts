import { Session } from 'node:inspector/promises';
import { compileReader } from '../../../src/source/adapter/read/read-reply.ts';
import { compileOutcomes } from '../../../src/source/adapter/read/outcome.ts';
import { startGateway } from '../../support/gateway/start-gateway.ts';
import { nameOf, sourceText, users } from '../../support/upstream/named-users.ts';
import { serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';
import { startForAll } from '../../support/jest/lifetime.ts';

const config = `
resources:
  users: { source: shop, public: true, deadline: 60s, cache: { fresh: 0s, notFound: 0s } }
`;

/** How often each function of the gateway is called while `work` runs, as V8 counts it, by the function's name. */
async function callsDuring(work: () => Promise<void>): Promise<ReadonlyMap<string, number>> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true });
  try {
    await work();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const functions = result
      .filter(({ url }) => url.includes('/src/source/adapter/'))
      .flatMap((one) => one.functions);
    return new Map(functions.map(({ functionName, ranges }) => [functionName, ranges[0]?.count ?? 0]));
  } finally {
    await session.post('Profiler.stopPreciseCoverage');
    session.disconnect();
  }
}

const upstream = startForAll(() => startUpstream(serving(users(nameOf))));

it('a gateway that has read its files, started and answered has compiled its source once', async () => {
  const statuses: number[] = [];
  const calls = await callsDuring(async () => {
    const sources = { 'shop.yaml': sourceText('shop', upstream) };
    const gateway = await startGateway({ sources, config });
    for (const path of ['/v1/users', '/v1/users/user_1'])
      statuses.push((await fetch(gateway.url + path)).status);
    await gateway.close();
  });
  expect(statuses).toEqual([200, 200]);
  expect(calls.get(compileOutcomes.name)).toBe(1);
  // One reader for the list, and one for single records.
  expect(calls.get(compileReader.name)).toBe(2);
});
