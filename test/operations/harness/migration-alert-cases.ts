import { createMetrics } from '../../../src/admin/metrics/metrics.ts';
import { mergeMetrics } from '../../../src/gateway/workers/merged-metrics.ts';
import type { RuleCase } from './promtool-rule-tests.ts';

type Metrics = ReturnType<typeof createMetrics>;

/** What two gateways show at one moment of a fault: each has written its metrics by its own code. */
type Moment = (metrics: Metrics, gateway: 'first' | 'second') => void;

const mismatch = {
  ...{ resource: 'users', operation: 'users.list', verdict: 'mismatch' },
  differences: [{ path: 'data[].email' }],
};

const position = (rev: number, staleSeconds = 0) => ({
  positions: () => [{ resource: 'users', operation: 'users.list', stage: 'ramp' as const, percent: 5, rev }],
  staleSeconds: () => staleSeconds,
  openBreakers: () => [],
});

/** The metrics of two gateways at a moment; those of the second have an instance of their own. */
async function textAt(moment: Moment): Promise<string> {
  const textOf = async (gateway: 'first' | 'second') => {
    const metrics = createMetrics({ operations: ['users.list'], version: '1', nodeVersion: 'v24' });
    metrics.watchMigrations(position(7));
    moment(metrics, gateway);
    return mergeMetrics([await metrics.values()]).metrics();
  };
  const replica = (await textOf('second')).replaceAll(
    /^(portico_migration_\w+)\{/gm,
    '$1{instance="replica:9090",',
  );
  const lines = replica.split('\n').filter((line) => line.includes('instance="replica:9090"'));
  return [await textOf('first'), ...lines].join('\n');
}

/** A fault: what the gateways show while nothing is wrong, early in the fault, and a scrape later. */
async function caseOf(
  name: string,
  alert: string,
  [calm, early, late]: readonly [Moment, Moment, Moment],
): Promise<RuleCase> {
  const before = await textAt(calm);
  const metrics = { before, early: await textAt(early), late: await textAt(late), after: before };
  return { name, alerts: [alert], also: [], isUp: true, metrics };
}

const counted =
  (count: (metrics: Metrics) => void, times: number): Moment =>
  (metrics) => {
    for (let n = 0; n < times; n += 1) count(metrics);
  };

/** A counter that stands before the fault, and rises by some with each scrape while it lasts. */
const rising = (count: (metrics: Metrics) => void): [Moment, Moment, Moment] => [
  counted(count, 1),
  counted(count, 1),
  counted(count, 3),
];

/** A gauge that is one thing while nothing is wrong, and another while the fault lasts. */
const lasting = (calm: Moment, fault: Moment): [Moment, Moment, Moment] => [calm, fault, fault];

/** One fault for each alert about migrations. */
export function migrationAlertCases(): Promise<readonly RuleCase[]> {
  const none: Moment = () => undefined;
  const hold: Moment = (metrics) => metrics.watchHolds(() => [{ resource: 'users', by: 'judge' }]);
  const stale: Moment = (metrics) => metrics.watchMigrations(position(7, 45));
  const ready = (isReady: boolean) => (metrics: Metrics) => metrics.migrationGate('users', isReady);
  const transient = (isExceeded: boolean) => (metrics: Metrics) =>
    metrics.migrationTransient('users', 'users.list', isExceeded);
  const behind: Moment = (metrics, gateway) => metrics.watchMigrations(position(gateway === 'first' ? 8 : 7));
  return Promise.all([
    caseOf('the judge has rolled back', 'PorticoMigrationStopped', lasting(none, hold)),
    caseOf(
      'the legacy source serves in place of the new one',
      'PorticoMigrationFallback',
      rising((metrics) => metrics.migrationFallback('users', 'users.list', 'timeout')),
    ),
    caseOf(
      'both sources have different records',
      'PorticoMigrationDiffers',
      rising((metrics) => metrics.migrationCompared(mismatch)),
    ),
    caseOf(
      'more answers differ once than writes explain',
      'PorticoMigrationTransient',
      lasting(transient(false), transient(true)),
    ),
    caseOf('the next step may be taken', 'PorticoMigrationReady', lasting(ready(false), ready(true))),
    caseOf('a process cannot read the state', 'PorticoMigrationStale', lasting(none, stale)),
    caseOf('a process has not learnt of a change', 'PorticoMigrationBehind', lasting(none, behind)),
    caseOf(
      'Redis has lost changes of a migration',
      'PorticoMigrationRevRegressed',
      rising((metrics) => metrics.revRegressed('users')),
    ),
  ]);
}
