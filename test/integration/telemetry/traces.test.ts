import type { CollectedSpan } from '../../support/process/telemetry/collector.ts';
import {
  askTraced as ask,
  lineOf,
  sentOf,
  startTraced as start,
  stopTraced,
} from '../../support/process/telemetry/traced-gateway.ts';
import { serving } from '../../support/upstream/scripted-upstream.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const parent = (flags: string) => `00-${TRACE}-${SPAN}-${flags}`;

afterEach(stopTraced);

const isServer = ({ kind }: CollectedSpan) => kind === 'server';

describe('the trace of a request, without telemetry', () => {
  it.each(['/v1/users', '/v1/users/user_1', '/orders/x'])(
    'is passed on to the upstream of %s as a child of the caller',
    async (path) => {
      const traced = await start({ traces: false });
      const answer = await ask(traced, path, { traceparent: parent('02'), tracestate: 'a=1, b=2' });

      const [request] = traced.upstream.requests;
      expect(request?.headers['traceparent']).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-02$`));
      expect(request?.headers['traceparent']).not.toContain(SPAN);
      expect(request?.headers['tracestate']).toBe('a=1,b=2');
      const line = lineOf(traced, answer.headers.get('x-request-id'));
      expect(`00-${String(line?.['traceId'])}-${String(line?.['spanId'])}-02`).toBe(
        request?.headers['traceparent'],
      );
    },
  );

  it('begins at the gateway where the caller has none, or a malformed one', async () => {
    const traced = await start({ traces: false });
    for (const headers of [{}, { traceparent: `ff-${TRACE}-${SPAN}-01`, tracestate: 'a=1' }])
      await ask(traced, '/orders/x', headers);

    for (const { headers } of traced.upstream.requests) {
      expect(headers['traceparent']).toMatch(/^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-02$/);
      expect(headers['traceparent']).not.toContain(TRACE);
      expect(headers).not.toHaveProperty('tracestate');
    }
    expect(new Set(sentOf(traced)).size).toBe(2);
  });

  it('is sampled for the upstream as a caller with a credential says, and never as an anonymous one says', async () => {
    const traced = await start({ traces: false });
    await ask(traced, '/v1/users', { traceparent: parent('01') });
    await ask(traced, '/orders/x', { traceparent: parent('01') });

    expect(sentOf(traced).map((text) => text.slice(-2))).toEqual(['01', '00']);
  });
});

describe('the spans of a request', () => {
  it('are one for the request and one for each exchange with its source, linked and named by the route', async () => {
    const traced = await start({ ratio: 1 });
    const answer = await ask(traced, '/v1/users/user_1', {});
    const [server, client] = await traced.collector
      .spansOf(() => true, 2)
      .then((spans) => [spans.find(isServer), spans.find((span) => !isServer(span))]);

    const line = lineOf(traced, answer.headers.get('x-request-id'));
    expect(server).toMatchObject({
      name: 'GET /v1/users/{id}',
      traceId: line?.['traceId'],
      spanId: line?.['spanId'],
      parentSpanId: '',
      hasFailed: false,
      attributes: {
        'http.request.method': 'GET',
        'http.route': '/v1/users/{id}',
        'http.response.status_code': 200,
        'portico.operation': 'users.get',
        'portico.cache': 'miss',
        'portico.plan': 'record',
        'portico.caller': expect.stringMatching(/^tester|^[a-z0-9]+$/),
        'portico.upstream_calls': 1,
        'portico.request_id': answer.headers.get('x-request-id'),
      },
      resource: { 'service.name': 'portico', 'service.version': 'test' },
    });
    expect(client).toMatchObject({
      name: 'GET',
      parentSpanId: server?.spanId,
      traceId: server?.traceId,
      attributes: {
        'http.request.method': 'GET',
        'http.response.status_code': 200,
        'server.address': '127.0.0.1',
        'server.port': traced.upstream.port,
        'portico.source': 'crm',
      },
    });
    expect(sentOf(traced)).toEqual([`00-${client?.traceId ?? ''}-${client?.spanId ?? ''}-03`]);
    expect(traced.collector.headers['x-collector-key']).toBe('a-collector-key');
    expect(server!.ms).toBeGreaterThanOrEqual(client!.ms);
  });

  it('say which window of rows each exchange asked for, and how the source was asked', async () => {
    const traced = await start({ ratio: 1 });
    await ask(traced, '/v1/users?limit=7');

    const [server] = await traced.collector.spansOf(isServer);
    const [client] = await traced.collector.spansOf((span) => !isServer(span));
    expect(server?.attributes).toMatchObject({ 'portico.plan': 'page', 'http.route': '/v1/users' });
    expect(client?.attributes).toMatchObject({ 'portico.window.first_row': 0, 'portico.window.rows': 7 });
  });

  it('are a single one for an answer from the cache', async () => {
    const traced = await start({ ratio: 1, fresh: 60 });
    await ask(traced, '/v1/users');
    await ask(traced, '/v1/users');

    const servers = await traced.collector.spansOf(isServer, 2);
    const hits = servers.filter(({ attributes }) => attributes['portico.cache'] === 'hit');
    expect(hits).toHaveLength(1);
    expect(traced.collector.spans.filter(({ traceId }) => traceId === hits[0]?.traceId)).toHaveLength(1);
  });

  it('never hold a path, a query or an id of a caller', async () => {
    const traced = await start({ ratio: 1 });
    await ask(traced, '/orders/canary-7?q=canary-7');
    await ask(traced, '/canary-7?q=canary-7');
    await ask(traced, '/v1/users/user_777777');

    const servers = await traced.collector.spansOf(isServer, 3);
    expect(servers.map(({ name }) => name)).toEqual(['GET /orders', 'GET', 'GET /v1/users/{id}']);
    expect(JSON.stringify(traced.collector.spans)).not.toMatch(/canary|777777/);
  });

  it('say what failed, and at which source', async () => {
    const traced = await start({ ratio: 1 });
    traced.upstream.become(serving(() => ({ status: 500, body: {} })));
    expect((await ask(traced, '/v1/users')).status).toBe(502);

    const [server] = await traced.collector.spansOf(isServer);
    const [client] = await traced.collector.spansOf((span) => !isServer(span));
    expect(server).toMatchObject({ hasFailed: true, attributes: { 'error.type': 'upstream_error' } });
    expect(client).toMatchObject({
      hasFailed: true,
      attributes: { 'error.type': '500', 'portico.source': 'crm' },
    });
  });
});

describe('whether a request is recorded', () => {
  it('is decided by a caller with a credential, by the ratio for all others', async () => {
    const traced = await start({ ratio: 0 });
    await ask(traced, '/orders/x', { traceparent: parent('01') });
    await ask(traced, '/v1/users', { traceparent: parent('00') });
    await ask(traced, '/v1/users');
    await ask(traced, '/v1/users', { traceparent: parent('01') });

    const [server] = await traced.collector.spansOf(isServer);
    expect(server).toMatchObject({
      traceId: TRACE,
      parentSpanId: SPAN,
      attributes: { 'portico.operation': 'users.list' },
    });
    expect(traced.collector.spans).toHaveLength(2);
    expect(sentOf(traced).map((text) => text.slice(-1))).toEqual(['0', '0', '2', '1']);
  });

  it('is not decided by a caller who says no without a credential', async () => {
    const traced = await start({ ratio: 1 });
    await ask(traced, '/orders/x', { traceparent: parent('00') });

    expect(await traced.collector.spansOf(isServer)).toMatchObject([{ traceId: TRACE, parentSpanId: SPAN }]);
  });
});

describe('a collector that fails', () => {
  it.each([503, 400, 'hang'] as const)('costs spans and no request: %s', async (how) => {
    const traced = await start({ ratio: 1 });
    traced.collector.behave(how);
    for (let i = 0; i < 5; i += 1) expect((await ask(traced, '/v1/users')).status).toBe(200);

    await traced.gateway.close();
    if (how === 400) {
      const warnings = traced.gateway.log.filter((line) => line.includes('spans cannot be sent'));
      expect(warnings).toHaveLength(1);
    }
    expect(traced.gateway.log.join('')).not.toContain('a-collector-key');
  });
});
