import { eventually } from '../support/time/eventually.ts';
import { Agent, get, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { checkedFetch } from '../support/client/openapi-check.ts';
import {
  type GatewayProcess,
  startGatewayProcess,
  startUpstreams,
} from '../support/gateway/gateway-process.ts';
import { type ConfigCopy, copyConfig } from '../support/gateway/config-copy.ts';
import { serving, startUpstream } from '../support/upstream/scripted-upstream.ts';
import { endAfterTest } from '../support/jest/lifetime.ts';

const RETRY_SECONDS = 60;

let upstreams: Awaited<ReturnType<typeof startUpstreams>>;
let gateway: GatewayProcess;
let config: ConfigCopy;
async function start(drain: string, more = ''): Promise<void> {
  upstreams = endAfterTest(await startUpstreams());
  config = endAfterTest(copyConfig());
  config.useGenerousTimeouts();
  config.edit('portico.yaml', '  port: ${PORT:-8080}', `  port: \${PORT:-8080}\n  drain: ${drain}\n${more}`);
  gateway = endAfterTest(await startGatewayProcess(upstreams.env, config.file));
}

/** One request over a client's own kept-alive connection; rejects where there was no whole answer. */
async function ask(agent: Agent): Promise<IncomingMessage> {
  const request = get(`${gateway.url}/v1/openapi.json`, { agent });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
  return response;
}

describe('SIGTERM', () => {
  it('under load on kept-alive connections loses no request, turns /readyz to 503 first, and ends with 0', async () => {
    // A client that connects during the drain must still be served, also where the machine is busy.
    await start('4s');
    const outcome = { answered: 0, failed: 0 };
    /** Asks without a pause until it is told to close its connection: then it is the balancer's turn. */
    async function client(): Promise<void> {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      for (let leaving = false; !leaving;) {
        try {
          const response = await ask(agent);
          outcome.answered += 1;
          leaving = response.headers.connection === 'close';
        } catch {
          outcome.failed += 1;
          leaving = true;
        }
      }
      agent.destroy();
    }
    const clients = Array.from({ length: 20 }, client);
    await eventually(() => outcome.answered >= 200);

    gateway.process.signal('SIGTERM');
    await gateway.process.prints(/"msg":"draining"/);
    const ready = await fetch(`${gateway.adminUrl}/readyz`);
    expect([ready.status, await ready.json()]).toMatchObject([503, { draining: true }]);
    // It serves on, also those who come anew, while balancers take note.
    expect((await checkedFetch(`${gateway.url}/v1/openapi.json`)).status).toBe(200);

    await Promise.all(clients);
    expect(outcome.failed).toBe(0);
    expect(await gateway.process.ended).toEqual({ code: 0, signal: null });
    await expect(fetch(`${gateway.url}/v1/openapi.json`)).rejects.toThrow();
  });

  it('sent twice at once, as by a terminal and npm, still drains, and ends with 0', async () => {
    await start('300ms');
    gateway.process.signal('SIGINT');
    gateway.process.signal('SIGTERM');
    expect(await gateway.process.ended).toEqual({ code: 0, signal: null });
  });

  it('does not wait for a collector of spans that asks to be tried again in a minute', async () => {
    const headers = { 'Retry-After': String(RETRY_SECONDS) };
    const collector = endAfterTest(await startUpstream(serving(() => ({ status: 503, headers }))));
    const traces = `{ endpoint: '${collector.origin}/v1/traces', ratio: 1, timeout: 100s }`;
    await start('0s', `telemetry:\n  traces: ${traces}\n`);
    await (await fetch(`${gateway.url}/v1/openapi.json`)).arrayBuffer();
    await eventually(() => collector.calls > 0);
    const from = performance.now();
    gateway.process.signal('SIGTERM');
    expect(await gateway.process.ended).toEqual({ code: 0, signal: null });
    expect(performance.now() - from).toBeLessThan((RETRY_SECONDS * 1_000) / 2);
  });
});
