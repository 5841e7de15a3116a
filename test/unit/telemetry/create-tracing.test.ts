import { createRequire } from 'node:module';
import { telemetry } from '../../../src/config/schema/telemetry.ts';
import { createTracing } from '../../../src/telemetry/span-exporter.ts';
import type { FinishedSpan } from '../../../src/telemetry/tracing.ts';
import { serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';

const { traces } = telemetry.parse({ traces: { endpoint: 'http://127.0.0.1:9/v1/traces', queueMax: 3 } });
const silent = { warn: () => undefined };

const span: FinishedSpan = {
  name: 'GET /v1/users',
  kind: 'server',
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  parentSpanId: undefined,
  state: '',
  startMs: 1_700_000_000_000,
  endMs: 1_700_000_000_012.5,
  attributes: {},
  hasFailed: false,
};

describe('tracing', () => {
  it('is nothing at all, and loads nothing, without a configuration', () => {
    const load = () => {
      throw new Error('nothing may be loaded');
    };
    expect(createTracing(undefined, { version: 'test', log: silent, load })).toBeUndefined();
  });

  it('says which line installs the packages where they are missing', () => {
    const require = createRequire(import.meta.url);
    const load = (name: string): unknown => require(name === '@opentelemetry/api' ? name : 'no-such-package');
    expect(() => createTracing(traces, { version: 'test', log: silent, load })).toThrow(
      'npm install @opentelemetry/api @opentelemetry/sdk-trace @opentelemetry/exporter-trace-otlp-proto',
    );
  });

  it('bounds what waits for the collector, and counts what it drops', async () => {
    const collector = await startUpstream(serving(() => ({ body: {} })));
    const endpoint = `${collector.origin}/v1/traces`;
    const tracing = createTracing({ ...traces!, endpoint }, { version: 'test', log: silent })!;
    for (let n = 0; n < 10; n += 1) tracing.record(span);
    expect(tracing.counts()).toMatchObject({ exported: 0, dropped: 7 });
    await tracing.close();
    await collector.close();
  });

  it('records one request in a hundred unless the configuration says otherwise', () => {
    expect(traces?.ratio).toBe(0.01);
    for (const [ratio, read] of [
      ['0.5', 0.5],
      [1, 1],
      ['0', 0],
    ])
      expect(telemetry.parse({ traces: { endpoint: 'http://c', ratio } }).traces?.ratio).toBe(read);
    for (const ratio of [-0.1, 1.1, '2', 'all'])
      expect(telemetry.safeParse({ traces: { endpoint: 'http://c', ratio } }).success).toBe(false);
  });
});
