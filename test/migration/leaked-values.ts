import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { UserTruth } from '../../src/cli/demo/data/generate-users.ts';
import type { FaultGateway } from '../faults/harness/gateway.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';
import { startCollector } from '../support/process/telemetry/collector.ts';
import { forEachOf, startMigratingFleet } from './harness/migrating-fleet.ts';

/** Stands in an address, a phone number and a token of each user, and nowhere else: callers may see it, nobody else. */
const SECRET_MARKERS = { email: 'goldammer', phone: '+49 1514 0476', token: 'sk_live_zeisig' };
const DIFFERENCES = 10_000;
/** Longer than a busy machine takes, milliseconds. */
const PATIENCE_MS = 300_000;

/** A user with secret markers in four fields, of which the store's name is a part: it differs in each store. */
const withMarkers = (store: string) => (user: UserTruth) => ({
  ...user,
  name: `${SECRET_MARKERS.token}_${store}${user.id}`,
  email: `${SECRET_MARKERS.email}.${store}.${user.id}@${store}.example`,
  profile: {
    ...user.profile,
    bio: `Call ${SECRET_MARKERS.phone} ${String(store.length)}`,
    avatar_url: `https://${store}.example/?token=${SECRET_MARKERS.token}`,
  },
});

/** How often each secret marker is in a text, or part of one that is cut off, or its bytes in another usual form. */
function countMarkers(text: string): number {
  const forms = Object.values(SECRET_MARKERS).flatMap((marker) => [
    marker,
    marker.slice(0, -1),
    encodeURIComponent(marker),
    Buffer.from(marker).toString('hex'),
    Buffer.from(marker).toString('base64').slice(0, 8),
  ]);
  return [...new Set(forms)].reduce(
    (sum, form) => sum + text.toLowerCase().split(form.toLowerCase()).length - 1,
    0,
  );
}

/** What Redis writes to disk, without compression: compressed, a secret marker would not be seen. */
async function dumpOf(gateway: FaultGateway): Promise<string> {
  return gateway.withStored(async ({ client }) => {
    await client.config('SET', 'rdbcompression', 'no');
    const [, folder] = await client.config('GET', 'dir');
    await client.save();
    return readFileSync(join(folder ?? '', 'dump.rdb'), 'latin1');
  });
}

async function readApi({ adminUrl }: FaultGateway, path: string, body?: object): Promise<string> {
  const init = body && { method: 'POST', body: JSON.stringify(body) };
  const answer = await fetch(`${adminUrl}/api/migrations${path}`, {
    ...init,
    headers: { 'content-type': 'application/json' },
  });
  assert.equal(answer.status, 200, path);
  return answer.text();
}

/** How many differences the operator's listener tells of. */
function differencesIn(diffs: string): number {
  const { differences } = JSON.parse(diffs) as { differences: { count: number }[] };
  return differences.reduce((sum, { count }) => sum + count, 0);
}

const nothingComesOut: BenchRow = {
  id: 'leaks-1',
  name: '10,000 differences between addresses, phone numbers and tokens: none of them in what Redis saves, the logs, the metrics, what operators read, or the spans',
  async run(bench) {
    const collector = bench.own(await startCollector());
    const fleet = await startMigratingFleet(bench, {
      gateways: 1,
      // Answers that are cached hold what callers see.
      cache: { fresh: '0s', notFound: '0s' },
      migration: {
        shadow: { maxRps: 10_000, concurrency: 64, timeout: '1m' },
        recheck: { delay: '1ms', maxRps: 1_000 },
        compare: { showMask: ['data.email', 'data[].email', 'data.profile.bio'], critical: ['data[].email'] },
      },
      gateway: { telemetry: { traces: { endpoint: collector.endpoint, ratio: 1 } } },
    });
    fleet.legacy.faults.change = withMarkers('old');
    fleet.next.faults.change = withMarkers('fresh');
    const gateway = fleet.gateways[0] as FaultGateway;
    await fleet.goTo('shadow users');
    const shown = await readApi(gateway, '/users/explain', {
      operation: 'users.get',
      query: `id=${fleet.users[0]?.id ?? ''}`,
      reason: 'test',
    });
    assert.ok(
      countMarkers(shown) > 10,
      'the answer with values must show the secret markers: else the row looks for something that is nowhere',
    );

    let found = 0;
    const endsAt = performance.now() + PATIENCE_MS;
    while (found < DIFFERENCES && performance.now() < endsAt) {
      const lists = Array.from({ length: 10 }, (_, page) => `/v1/users?limit=100&page=${String(page + 1)}`);
      const records = fleet.users.map(({ id }) => `/v1/users/${id}`);
      await forEachOf([...lists, ...records], 8, (path) => fleet.ask(path));
      found = differencesIn(await readApi(gateway, '/users/diffs'));
    }
    const paths = ['', '/users', '/users?operation=users.get', '/users/diffs', '/users/report'];
    const read = await Promise.all(
      [...paths, '/users/preview?percent=5'].map((path) => readApi(gateway, path)),
    );
    await collector.spansOf((span) => span.name.includes('users'), 100);
    const places = {
      Redis: await dumpOf(gateway),
      log: gateway.process.out + gateway.process.err,
      metrics: await gateway.metrics(),
      operators: read.join('\n'),
      spans: JSON.stringify(collector.spans),
    };
    assert.ok(places.Redis.includes('data[].email'), 'the differences stand in what Redis has saved');
    const counts = Object.entries(places).map(([place, text]) => [place, countMarkers(text)] as const);
    const bytes = Object.values(places).reduce((sum, text) => sum + text.length, 0);
    return promised(found >= DIFFERENCES && counts.every(([, count]) => count === 0), {
      differences: found,
      ...Object.fromEntries(counts),
      'MiB searched': bytes / 1024 ** 2,
    });
  },
};

/** What comparing keeps of the values of users: nothing. */
export const leakRows: readonly BenchRow[] = [nothingComesOut];
