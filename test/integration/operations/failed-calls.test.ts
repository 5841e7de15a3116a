import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { conditions } from '../../../src/telemetry/conditions/conditions.ts';
import type { IncidentList } from '../../../src/admin/api/incident-specs.ts';
import type { Overview, SourceDetail } from '../../../src/admin/api/metric-specs.ts';
import { hurry } from '../../support/gateway/operation-cases.ts';
import { type Stack, startStack } from '../../support/gateway/stack.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';
import { type FaultName, startFailingUpstream } from '../../support/upstream/failing-upstream.ts';
import { serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';

/** Each kind of failure, as a service shows it, and why its calls bring no usable answer. */
const kinds = [
  ['refuses connections', 'unreachable'],
  ['says nothing', 'timeout'],
  ['answers 500', 'error'],
  ['resets the connection', 'error'],
  ['stops in the middle of its answer', 'error'],
  ['refuses the credential with 401', 'credential'],
  ['refuses the credential with 403', 'credential'],
  ['answers with a page of HTML', 'shape'],
  ['answers with JSON of another shape', 'shape'],
  ['answers 410, which its file does not map', 'outcome'],
  ['answers 429', 'limited'],
] as const;

const SOURCE = 'catalog';
/** More than the fewest that are judged, whether a call is sent or the breaker keeps it back. */
const ASKED = 24;

const statuses: Readonly<Record<string, number>> = {
  'answers 429': 429,
  'answers 410, which its file does not map': 410,
};

async function fail(kind: string, path = '/v1/products?limit=2'): Promise<Stack> {
  const status = statuses[kind];
  const upstream = endAfterTest(
    status === undefined
      ? await startFailingUpstream(kind as FaultName)
      : await startUpstream(serving(() => ({ status, body: {} }))),
  );
  const stack = endAfterTest(await startStack({ upstream: upstream.origin, configure: hurry }));
  for (let count = 0; count < ASKED; count += 1) await stack.get(path);
  return stack;
}

const read = async <T>({ adminUrl }: Stack, path: string) =>
  (await (await fetch(`${adminUrl}/api/${path}`)).json()) as T;

/** What each reader says of the source. */
async function readersOf(stack: Stack, source = SOURCE) {
  // Who asks within half a second shares one sample of the metrics.
  await sleep(600);
  const overview = await read<Overview>(stack, 'overview');
  const { incidents } = await read<IncidentList>(stack, 'incidents');
  const row = overview.sources.find(({ name }) => name === source);
  const { failures } = await read<SourceDetail>(stack, `sources/${source}`);
  const own = `source="${source}"`;
  const sent = await stack.counted('portico_upstream_calls_total', own);
  const usable = await stack.counted('portico_upstream_calls_total', own, 'failure=""');
  return {
    metrics: { usable, hasSent: sent >= ASKED },
    page: [row?.errorShare, row?.failure],
    sourceView: Object.entries(failures)
      .filter(([why, { total }]) => total > 0 && why !== 'not_asked')
      .map(([why]) => why),
    // What needs attention is the incident, and that the source fails is its effect.
    items: incidents
      .filter(({ effects }) => effects.some(({ code }) => code === 'source_failing'))
      .map(({ todo }) => todo.view),
    alert: await stack.counted('portico_source_failed_share', own),
  };
}

describe('a call that brings no usable answer', () => {
  it.each(kinds)('is a failure of the source for every reader: it %s → %s', async (kind, why) => {
    const stack = await fail(kind);
    expect(await readersOf(stack)).toEqual({
      metrics: { usable: 0, hasSent: true },
      page: [1, why],
      sourceView: [why],
      items: [`#/source/${SOURCE}`],
      alert: 1,
    });
  });

  it.each([
    ['answers 500', 'error'],
    ['refuses the credential with 401', 'credential'],
    ['refuses connections', 'unreachable'],
  ])('is one of a pass-through route, too: its service %s → %s', async (kind, why) => {
    const route = 'passthrough.orders';
    const found = await readersOf(await fail(kind, '/legacy/orders'), route);
    expect([found.metrics.usable, found.page, found.items]).toEqual([0, [1, why], [`#/source/${route}`]]);
  });

  it('is none of a source that has no such record, and of a caller that goes away', async () => {
    const stack = endAfterTest(await startStack());
    for (let id = 0; id < ASKED; id += 1) await stack.get(`/v1/users/user_99999${id}`);
    await stack.get('/v1/users', { signal: AbortSignal.timeout(1) }).catch(() => undefined);
    const { metrics, page, items, alert } = await readersOf(stack, 'crm');
    expect([page, items, alert]).toEqual([[0, undefined], [], 0]);
    expect(metrics.usable).toBeGreaterThan(0);
  });

  it('is what the board and the alert count, too', () => {
    const board = readFileSync('config/grafana/portico.json', 'utf8');
    const [failing = ''] = /"expr": "([^\n]*failure!=[^\n]*)"/.exec(board) ?? [];
    expect(failing).toContain('portico_upstream_calls_total');
    expect(board).not.toContain('upstream_.*');
    const [alert] = conditions.filter(({ id }) => id === 'source_failing');
    expect(alert?.expr).toContain('portico_source_failed_share');
  });
});
