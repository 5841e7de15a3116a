import { readFileSync } from 'node:fs';
import { anyPorts, sampleCredentials, startSamples } from '../../src/cli/demo/serve.ts';
import { sendTraffic } from '../../src/cli/demo/traffic.ts';
import type { FaultBench } from '../faults/harness/bench.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';
import { faultsOf, isClean, openAs, viewsOf } from './harness/console-tab.ts';
import { isForReadme, keepForReadme, README_FOLDER } from './harness/run-options.ts';
import { failedRequest, openScene, type Scene } from './harness/scene.ts';

const PICTURE_BYTES_MAX = 150_000;
/** A picture of the README shows minutes of traffic; that each is made, and is small enough, is seen in seconds. */
const SECONDS = { readme: 240, otherwise: 15 };
const REQUESTS_PER_SECOND = 8;

async function createKey({ api }: Scene, label: string): Promise<string> {
  const permissions = ['users:read', 'products:read', 'orders:read'];
  return (await api<{ secret: string }>('keys', { body: { label, permissions } })).secret;
}

/** A gateway that has served for a while: its sources became slow and recovered, and now the catalogue fails. */
async function openLivelyScene(bench: FaultBench): Promise<Scene> {
  const samples = bench.own(await startSamples({ ports: anyPorts, count: 400, cleanPeople: true }));
  const { users = '', catalog = '', orders = '', people = '' } = samples.urls;
  const urls = { USERS_URL: users, CATALOG_URL: catalog, ORDERS_URL: orders, PEOPLE_URL: people };
  const { key: CATALOG_KEY } = sampleCredentials.catalog;
  const env = { ...urls, CATALOG_KEY, ORDERS_TOKEN: sampleCredentials.orders.token };
  const scene = await openScene(bench, { env });
  await scene.rampUsers(25);
  const { url: base, configuredKey: key } = scene.gateway;
  const seconds = isForReadme() ? SECONDS.readme : SECONDS.otherwise;
  const signal = AbortSignal.timeout(seconds * 10_000);
  const traffic = { base, key, limitedKey: key, signal, requestsPerSecond: REQUESTS_PER_SECOND };
  await sendTraffic({ ...traffic, samples, seconds: seconds * 0.75 });
  await scene.api('cache/purge', { body: { tag: 'products', reason: 'new prices' } });
  samples.disturb('catalog', { delayMs: 40, failEvery: 1 });
  // An incident says whose answers fail.
  const keys = await Promise.all(['Web shop', 'Mobile app'].map((label) => createKey(scene, label)));
  const failing = keys.map((own, at) =>
    sendTraffic({
      ...{ ...traffic, key: own, limitedKey: own, requestsPerSecond: at === 0 ? 5 : 3 },
      ...{ samples: { disturb: () => undefined }, seconds: seconds * 0.25 },
    }),
  );
  await Promise.all(failing);
  return scene;
}

const pictures: BenchRow = {
  id: 'pictures-1',
  name: 'the pictures of the console in the documents are smaller than 150 KB each',
  async run(bench) {
    const scene = await openLivelyScene(bench);
    const views = viewsOf(await failedRequest(scene));
    const tab = await openAs(bench, scene, 'operator');
    const sizes: Record<string, number> = {};
    for (const name of ['overview', 'source', 'request', 'migration']) {
      await tab.go(views[name] ?? '');
      if (isForReadme() && name === 'overview') await tab.page.locator('li.incident').first().waitFor();
      await keepForReadme(tab.page, name);
      sizes[name] = readFileSync(`${README_FOLDER}/${name}.png`).length;
    }
    const isSmall = Object.values(sizes).every((size) => size < PICTURE_BYTES_MAX);
    return promised(isSmall && isClean(tab), { ...sizes, ...faultsOf(tab) });
  },
};

/** What is promised of the pictures that the README shows. */
export const pictureRows: readonly BenchRow[] = [pictures];
