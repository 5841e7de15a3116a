import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultBench } from '../faults/harness/bench.ts';
import { ROOMY } from '../faults/harness/secrets.ts';
import { type Collector, startCollector } from '../support/process/telemetry/collector.ts';
import { serving, startUpstream } from '../support/upstream/scripted-upstream.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

/** A gateway whose public route leads to an upstream that is read, with its spans sent to a collector. */
async function openTraced(bench: FaultBench, traces: object = {}) {
  const upstream = bench.own(await startUpstream(serving(() => ({ body: {} }))));
  const collector: Collector = bench.own(await startCollector());
  const passthrough = [{ name: 'orders', path: '/orders', permission: null, upstream: upstream.origin }];
  const telemetry = { traces: { endpoint: collector.endpoint, ratio: 1, timeout: '1s', ...traces } };
  const gateway = await bench.gateway({
    config: { passthrough, telemetry, limits: { anonymousTier: ROOMY } },
    env: { REDIS_URL: '' },
    keys: 0,
  });
  const ask = (path: string, headers: Record<string, string> = {}) =>
    fetch(gateway.url + path, { headers: { ...headers, 'X-API-Key': gateway.configuredKey } }).then(
      async (answer) => (await answer.arrayBuffer(), answer.status),
    );
  const askAnonymously = (headers: Record<string, string>) =>
    fetch(`${gateway.url}/orders/1`, { headers }).then((answer) => answer.arrayBuffer());
  return { upstream, collector, gateway, ask, askAnonymously };
}

const complete: BenchRow = {
  id: 'trace-1',
  name: 'each request that is recorded is one span, each exchange with an upstream is its child, and the log names both ids',
  fast: true,
  async run(bench) {
    const { collector, gateway, ask } = await openTraced(bench);
    const paths = [
      '/v1/users?limit=3',
      '/v1/users?limit=3',
      '/orders/7',
      '/v1/products?limit=2',
      '/nowhere/8',
    ];
    for (let round = 0; round < 4; round += 1) for (const path of paths) await ask(path);
    const requests = 4 * paths.length;
    const isServer = ({ kind }: { kind: string }) => kind === 'server';
    const servers = await collector.spansOf(isServer, requests);
    const ids = new Map(servers.map((span) => [span.spanId, span.traceId]));
    const exchanges = collector.spans.filter((span) => !isServer(span));
    const orphans = exchanges.filter(({ parentSpanId, traceId }) => ids.get(parentSpanId) !== traceId).length;
    const lines = gateway.log().filter(({ msg }) => msg === 'request');
    const named = lines.filter(({ spanId, traceId }) => ids.get(String(spanId)) === traceId).length;
    const leaks = /orders\/7|nowhere|limit=/.test(JSON.stringify(collector.spans)) ? 1 : 0;
    const ok = servers.length === requests && orphans === 0 && named === requests && leaks === 0;
    return promised(ok, { requests, spans: collector.spans.length, orphans, 'log lines': named, leaks });
  },
};

const MALFORMED = [
  `ff-${TRACE}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE}-${SPAN}-01-more`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-1`,
  `00-${TRACE}-${SPAN}`,
  'x'.repeat(4_000),
];

const untrusted: BenchRow = {
  id: 'trace-2',
  name: 'an anonymous caller decides nothing: no flag of its is believed, and a malformed traceparent is replaced',
  fast: true,
  async run(bench) {
    const { collector, upstream, askAnonymously } = await openTraced(bench, { ratio: 0 });
    for (let n = 0; n < 50; n += 1) await askAnonymously({ traceparent: `00-${TRACE}-${SPAN}-01` });
    for (const traceparent of MALFORMED) await askAnonymously({ traceparent, tracestate: 'a=1' });
    const sent = upstream.requests.map(({ headers }) => headers['traceparent'] as string);
    const sampled = sent.filter((text) => /[13579bdf]$/.test(text)).length;
    const kept = sent.slice(50).filter((text) => text.includes(TRACE) || text.includes(SPAN)).length;
    const wellFormed = sent.filter((text) => /^00-[0-9a-f]{32}-[0-9a-f]{16}-0[0-3]$/.test(text)).length;
    const recorded = collector.spans.length;
    const ok = wellFormed === 50 + MALFORMED.length && sampled + kept + recorded === 0;
    return promised(ok, { requests: sent.length, sampled, kept, recorded });
  },
};

const deadCollector: BenchRow = {
  id: 'trace-3',
  name: 'a collector that hangs costs spans, which are counted, and no request',
  async run(bench) {
    const { collector, gateway, ask } = await openTraced(bench, { queueMax: 50 });
    collector.behave('hang');
    let failed = 0;
    for (let n = 0; n < 300; n += 1) if ((await ask('/v1/users?limit=3')) !== 200) failed += 1;
    const counted = (outcome: string) => gateway.counted('portico_spans_total', `outcome="${outcome}"`);
    await bench.until(async () => (await counted('dropped')) >= 200 && (await counted('failed')) > 0);
    collector.behave(200);
    await bench.until(async () => {
      await ask('/v1/users?limit=3');
      await sleep(100);
      return (await counted('exported')) > 0;
    });
    const [dropped, lost] = [await counted('dropped'), await counted('failed')];
    return promised(failed === 0, { requests: 300, failed, dropped, 'failed spans': lost });
  },
};

/** Traces of requests, at a receiver that reads OTLP by the published schema. */
export const traceRows: readonly BenchRow[] = [complete, untrusted, deadCollector];
