import { eventually } from '../../support/time/eventually.ts';
import type { Socket } from 'node:net';
import { freePort } from '../../support/process/free-port.ts';
import { answering, onHead, type Script } from '../../support/upstream/scripted-upstream.ts';
import { createManualClock } from '../../support/time/manual-clock.ts';
import { OK, type RouteChanges, usePassthrough } from '../../support/gateway/passthrough-route.ts';
import { type RawAnswer, request } from '../../support/client/raw-client.ts';

/** So many calls open a breaker. */
const CALLS = 4;
const OPEN_MS = 60_000;
const breaker = { calls: CALLS, window: 600_000, failures: 50, open: OPEN_MS };
const once = { retries: { max: 0, budget: 0 } };

const saying = (status: string): Script =>
  answering(`HTTP/1.1 ${status}`, 'Retry-After: 7', 'Content-Length: 4', '', 'busy');

describe('the breaker of a pass-through route', () => {
  const route = usePassthrough();
  const clock = createManualClock();
  const get = request('GET', '/legacy/orders');

  const start = (script: Script, changes: RouteChanges = {}) =>
    route.start({ breaker, ...once, ...changes }, { script, clock });
  const requests = () => route.upstream.received.join('').split('GET ').length - 1;
  const isRefused = ({ status, body, headers }: RawAnswer) =>
    status === 503 && body.includes('upstream_unavailable') && headers['retry-after'] === '60';

  /** Asks until it is refused at once; how often it was asked before. */
  async function askUntilRefused(): Promise<number> {
    for (let asked = 0; ; asked += 1) {
      const before = requests();
      if (isRefused(await route.ask(get))) {
        expect(requests()).toBe(before);
        return asked;
      }
    }
  }

  it.each<[string, Script]>([
    ['ends connections without an answer', onHead((socket) => socket.end())],
    ['resets', onHead((socket) => socket.resetAndDestroy())],
    ['answers garbage', onHead((socket) => socket.end('garbage\r\n\r\n'))],
    [
      'breaks off within its answers',
      onHead((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf')),
    ],
  ])('opens when the upstream %s', async (_name, script) => {
    await start(script);
    for (let call = 0; call < CALLS; call += 1) await route.ask(get).catch(() => undefined);

    expect(isRefused(await route.ask(get))).toBe(true);
    expect(requests()).toBe(CALLS);
    await route.listener.line((line) => line.breaker === 'open' && line.source === 'passthrough.orders');
    expect(route.events.filter((event) => event.includes('upstream_error'))).toHaveLength(CALLS);
    expect(route.events.filter((event) => event.includes('breaker'))).toEqual([
      'passthrough.orders breaker_open',
    ]);
  });

  it('opens when connections are refused', async () => {
    await start(() => undefined, { upstream: `http://127.0.0.1:${await freePort()}` });
    for (let call = 0; call < CALLS; call += 1)
      expect((await route.ask(get)).headers['retry-after']).toBe('1');

    expect(isRefused(await route.ask(get))).toBe(true);
  });

  it('opens when the upstream does not answer until the deadline', async () => {
    // By the clock of the route as long as by its timers.
    await start(
      onHead(() => clock.advance(200)),
      { deadline: 200 },
    );

    // What a busy machine has not sent by the deadline is not the upstream's fault.
    expect(await askUntilRefused()).toBeGreaterThanOrEqual(CALLS);
  });

  it.each(['502 Bad Gateway', '503 Busy', '504 Timeout'])(
    'opens where the upstream answers %s, which passes as it is until then',
    async (status) => {
      await start(saying(status));
      for (let call = 0; call < CALLS; call += 1) {
        const answer = await route.ask(get);
        expect(status.startsWith(String(answer.status))).toBe(true);
        expect([answer.body.toString(), answer.headers['retry-after']]).toEqual(['busy', '7']);
      }

      expect(isRefused(await route.ask(get))).toBe(true);
    },
  );

  it.each(['500 Oops', '501 No', '401 No', '404 No', '429 Often'])(
    'stays closed where the upstream answers %s: it is there, and this is about the request',
    async (status) => {
      await start(saying(status));
      for (let call = 0; call < 3 * CALLS; call += 1) await route.ask(get);

      expect(requests()).toBe(3 * CALLS);
    },
  );

  it('lets exactly one trial through once its time is over, and closes when that succeeds', async () => {
    let probe: Socket | undefined;
    const script: Script = (socket, _received, connection) => {
      if (connection < CALLS) socket.destroy();
      else if (probe === undefined) probe = socket;
      else socket.write(OK);
    };
    await start(script);
    for (let call = 0; call < CALLS; call += 1) await route.ask(get);
    clock.advance(OPEN_MS);
    const trying = route.ask(get);
    await route.upstream.connected(CALLS + 1);
    const crowd = await Promise.all(Array.from({ length: 20 }, () => route.ask(get)));
    expect(new Set(crowd.map(({ status }) => status))).toEqual(new Set([503]));
    expect(route.upstream.received).toHaveLength(CALLS + 1);

    const socket = await eventually(() => probe);
    socket.write(OK);
    expect((await trying).status).toBe(200);
    expect((await route.ask(get)).status).toBe(200);
    expect(route.events.filter((event) => event.includes('breaker'))).toEqual(
      ['open', 'half_open', 'closed'].map((state) => `passthrough.orders breaker_${state}`),
    );
  });

  it('never opens by clients who leave, before an answer and within one', async () => {
    for (const said of ['', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf']) {
      await start(onHead((socket) => socket.write(said)));
      for (let call = 0; call < 2 * CALLS; call += 1) {
        const connection = await route.connect();
        connection.send(get);
        await route.upstream.connected(call + 1);
        if (said !== '') await connection.receives('half');
        connection.close();
        await route.upstream.disconnected();
      }
      expect(requests()).toBe(2 * CALLS);
    }
  });

  it('never opens by clients whose requests do not come in time: 400 bad_request', async () => {
    await start(() => undefined, { deadline: 150 });
    for (let call = 0; call < 2 * CALLS; call += 1) {
      const connection = await route.connect();
      connection.send(`${request('POST', '/legacy/orders', ['Content-Length: 10'])}half`);
      const answered = connection.answer();
      await Promise.race([route.upstream.connected(call + 1), answered]);
      clock.advance(150);
      const answer = await answered;
      connection.close();
      // On a machine that is very busy, the deadline may be spent before the upstream is asked.
      if (answer.status === 504) continue;
      expect([answer.status, JSON.parse(answer.body.toString()).error.code]).toEqual([400, 'bad_request']);
    }
    expect(route.events.filter((event) => event.includes('breaker'))).toEqual([]);
  });
});
