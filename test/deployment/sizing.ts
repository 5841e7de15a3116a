import assert from 'node:assert/strict';
import type { FaultGateway } from '../faults/harness/gateway.ts';
import { offer } from '../faults/harness/load/offer.ts';
import { startWithManyUsers, usersKept } from '../operations/harness/many-users.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';
import { request } from '../support/client/raw-client.ts';
import { serving, startUpstream } from '../support/upstream/scripted-upstream.ts';

const MIB = 1024 ** 2;
const LOCAL_MIB = [16, 64];
const ROUTES = [1, 10, 100];
const CALLERS = 2_000;
const AT_ONCE = 50;
const SECONDS = 5;
/** So often for so many seconds: a busy machine needs them to fill the larger level. */
const FILLS_MAX = 24;

const residentMib = async (gateway: FaultGateway) =>
  Math.round((await gateway.counted('process_resident_memory_bytes')) / MIB);

/** Asks without a pause for some seconds; the CPU of each answer in microseconds. */
async function cpuOf(gateway: FaultGateway, path: string): Promise<number> {
  const cpu = () => gateway.counted('process_cpu_seconds_total');
  const answers = () => gateway.counted('portico_requests_total', 'status="200"');
  const text = request('GET', path, [`X-API-Key: ${gateway.configuredKey}`]);
  const [cpuBefore, before] = [await cpu(), await answers()];
  const usual = { ports: [gateway.port], connections: 32, obeys: false, warmSeconds: 0, seconds: SECONDS };
  await offer({ ...usual, request: text, perSecond: 100_000 });
  return Math.round((1e6 * ((await cpu()) - cpuBefore)) / ((await answers()) - before));
}

const kept: BenchRow = {
  id: 'sizing-1',
  name: 'the memory of a process for its kept answers stays near what cache.localBytes says, and the CPU of a miss and of a hit is measured',
  async run(bench) {
    const figure: Record<string, number> = {};
    let isBounded = true;
    for (const mib of LOCAL_MIB) {
      const config = { cache: { localBytes: `${mib}MiB` }, resources: usersKept('600s') };
      const gateway = await startWithManyUsers(bench, config);
      const atRest = await residentMib(gateway);
      const bytes = () => gateway.counted('portico_cache_local_bytes');
      let missMicros = 0;
      for (let fills = 0; fills < FILLS_MAX && (await bytes()) < 0.95 * mib * MIB; fills += 1)
        missMicros = await cpuOf(gateway, '/v1/users?limit=10&page={new}');
      assert.ok((await bytes()) >= 0.95 * mib * MIB, 'the level is filled');
      await gateway.ask('/v1/users?limit=10&page=1');
      const full = await residentMib(gateway);
      // What a young heap takes besides is the same for any level.
      isBounded &&= full - atRest < 2 * mib + 150;
      Object.assign(figure, { [`MiB at rest, of ${mib}`]: atRest, [`MiB full, of ${mib}`]: full });
      figure['answers kept'] = await gateway.counted('portico_cache_local_entries');
      figure['miss us'] = missMicros;
      figure['hit us'] = await cpuOf(gateway, '/v1/users?limit=10&page={n}');
    }
    return promised(isBounded, figure);
  },
};

const routed: BenchRow = {
  id: 'sizing-2',
  name: 'memory and descriptors of a gateway of 1, 10 and 100 upstreams, at rest and after each was asked',
  async run(bench) {
    const upstream = bench.own(await startUpstream(serving(() => ({ body: {} }))));
    const figure: Record<string, number> = {};
    for (const count of ROUTES) {
      const passthrough = Array.from({ length: count }, (_, at) => ({
        ...{ name: `route-${at}`, path: `/legacy/${at}`, methods: ['GET'], permission: 'orders:read' },
        upstream: upstream.origin,
      }));
      const gateway = await bench.gateway({ config: { passthrough }, truth: () => undefined });
      const atRest = await residentMib(gateway);
      for (let at = 0; at < count; at += 1)
        assert.equal((await gateway.ask(`/legacy/${at}`, { key: gateway.configuredKey })).status, 200);
      figure[`MiB at rest, ${count}`] = atRest;
      figure[`MiB asked, ${count}`] = await residentMib(gateway);
      figure[`descriptors, ${count}`] = await gateway.counted('process_open_fds');
    }
    return promised((figure['descriptors, 100'] ?? 0) < 400, figure);
  },
};

const called: BenchRow = {
  id: 'sizing-3',
  name: 'the bytes of Redis for a key and for a caller who has asked, and the memory of a process for a caller',
  async run(bench) {
    const redis = await bench.redis();
    const gateway = await startWithManyUsers(bench, { redis: { url: redis.url } }, { keys: 0 });
    const used = () =>
      gateway.withStored(async ({ client }) =>
        Number(/^used_memory:(\d+)/m.exec(await client.info('memory'))?.[1]),
      );
    const minted = Array.from({ length: CALLERS }, () => bench.mint());
    const before = await used();
    await gateway.withStored(async ({ store }) => {
      for (const { record } of minted) await store.create(record);
    });
    const withKeys = await used();
    const resident = await gateway.counted('process_resident_memory_bytes');
    for (let from = 0; from < CALLERS; from += AT_ONCE)
      await Promise.all(
        minted.slice(from, from + AT_ONCE).map(({ key }) => gateway.ask('/v1/users?limit=1', { key })),
      );
    const after = await used();
    const figure = {
      callers: CALLERS,
      'Redis bytes of a key': Math.round((withKeys - before) / CALLERS),
      'Redis bytes of a caller': Math.round((after - withKeys) / CALLERS),
      'process bytes of a caller': Math.round(
        ((await gateway.counted('process_resident_memory_bytes')) - resident) / CALLERS,
      ),
    };
    return promised(
      figure['Redis bytes of a key'] < 2_000 && figure['Redis bytes of a caller'] < 4_000,
      figure,
    );
  },
};

/** What a gateway needs: the table of config/docs/operate.md. */
export const sizingRows: readonly BenchRow[] = [kept, routed, called];
