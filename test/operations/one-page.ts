import assert from 'node:assert/strict';
import { type BenchRow, promised } from '../faults/harness/row.ts';
import { alertFaults } from './harness/alert-faults.ts';
import { openAlertTestbed } from './harness/alert-testbed.ts';
import { noAlertmanager, startAlertmanager } from './harness/alertmanager.ts';
import { noPrometheus, startPrometheus } from './harness/prometheus.ts';

const FIRES_MS = 40_000;
/** So long a fault lasts after its first alerts, until nobody is told anything new any more. */
const TOLD_MS = 15_000;

/** The one alert that calls a person, by the fault of another system. */
const ROOTS: Readonly<Record<string, string>> = {
  'Redis hangs': 'PorticoRedisLost',
  'Redis is full': 'PorticoRedisFull',
  'a service fails': 'PorticoUpstreamFailing',
};

const onePage: BenchRow = {
  id: 'alerts-6',
  name: 'one thing that is wrong is one page: a running Alertmanager with the configuration that ships tells of the cause alone, however many alerts fire',
  skip: noPrometheus ?? noAlertmanager,
  async run(bench) {
    let fired = 0;
    for (const fault of alertFaults.filter(({ name }) => name in ROOTS)) {
      const place = await openAlertTestbed(bench);
      const alertmanager = bench.own(await startAlertmanager());
      const watched = [place.gateway.adminUrl, place.replica.adminUrl];
      const prometheus = bench.own(await startPrometheus(watched, alertmanager.url));
      await fault.begin(place);
      const firing = () => prometheus.firing();
      await bench.until(async () => (await firing()).size > 1, FIRES_MS, 250);
      await bench.sleep(TOLD_MS);
      fired += (await firing()).size;
      assert.deepEqual(alertmanager.sent(), [ROOTS[fault.name]], fault.name);
      await fault.end(place);
    }
    return promised(true, { faults: Object.keys(ROOTS).length, 'alerts that fired': fired });
  },
};

/** Whom Alertmanager calls, and for what. */
export const onePageRows: readonly BenchRow[] = [onePage];
