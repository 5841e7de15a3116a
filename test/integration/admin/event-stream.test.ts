import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import express from 'express';
import { createEventStream, type EventStream } from '../../../src/admin/event-stream.ts';
import { type MetricsSnapshot, sampleMetrics } from '../../../src/telemetry/history/metric-sample.ts';
import { eventually } from '../../support/time/eventually.ts';
import { startForEach } from '../../support/jest/lifetime.ts';

/** A stream whose ticks the test makes, behind a listener; what it opened ends with `close`. */
async function startStream() {
  const state = { listeners: 0, made: 0, isAdmitted: true, padding: '', actor: 'ada' };
  const warned: object[] = [];
  let onTick: (sample: MetricsSnapshot) => void = () => undefined;
  const sampleAt = (at: number) => sampleMetrics([], at);
  const stream: EventStream = createEventStream({
    sampler: {
      now: () => Promise.resolve(sampleAt(1)),
      listen(listener) {
        state.listeners += 1;
        onTick = listener;
        return () => void (state.listeners -= 1);
      },
    },
    log: { warn: (fields: object) => void warned.push(fields) },
    tickOf({ at }) {
      state.made += 1;
      return { at, padding: state.padding };
    },
  });
  const app = express();
  app.use((_req, res, next) => {
    res.locals['isStillAdmitted'] = () => state.isAdmitted;
    res.locals['access'] = { how: 'token', actor: { name: state.actor, role: 'viewer' } };
    next();
  });
  app.get('/api/events', stream.serve);
  const server = createServer((req, res) => void app(req, res)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const open: (IncomingMessage | Socket)[] = [];

  /** A reader that keeps what it got. */
  async function read() {
    const request = get({ port, host: '127.0.0.1', path: '/api/events', agent: false });
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    open.push(answer);
    const reader = { status: answer.statusCode, text: '', isEnded: false, leave: () => answer.destroy() };
    answer.on('data', (bytes: Buffer) => (reader.text += bytes.toString()));
    answer.on('end', () => (reader.isEnded = true));
    answer.on('error', () => undefined);
    return reader;
  }

  /** A reader that asks and then takes nothing. */
  async function readNothing() {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.pause();
    socket.write('GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
    open.push(socket);
    return socket;
  }

  async function close() {
    stream.end();
    for (const one of open) one.destroy();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }

  const connections = promisify(server.getConnections.bind(server));
  return {
    state,
    warned,
    stream,
    read,
    readNothing,
    connections,
    tick: (at: number) => onTick(sampleAt(at)),
    close,
  };
}

const started = startForEach(startStream);

describe('the stream of events', () => {
  it('gives a tick at once, then one each time, made once for all readers', async () => {
    const readers = await Promise.all([started.read(), started.read(), started.read()]);
    await eventually(() => readers.every(({ text }) => text.includes('"at":1')));
    const before = started.state.made;
    started.tick(2);
    await eventually(() => readers.every(({ text }) => text.includes('event: tick\ndata: {"at":2')));
    expect(started.state.made - before).toBe(1);
  });

  it('samples nothing while nobody reads', async () => {
    expect(started.state.listeners).toBe(0);
    const [one, other] = await Promise.all([started.read(), started.read()]);
    expect(started.state.listeners).toBe(1);
    one.leave();
    other.leave();
    await eventually(() => started.state.listeners === 0);
  });

  it('is refused to more than a hundred readers', async () => {
    const readers = await Promise.all(Array.from({ length: 100 }, () => started.read()));
    expect(new Set(readers.map(({ status }) => status))).toEqual(new Set([200]));
    const refused = await started.read();
    expect(refused.status).toBe(503);
    await eventually(() => refused.text.includes('100 streams are open'));
    readers[0]?.leave();
    await eventually(async () => (await started.read()).status === 200);
  });

  it('is shared by tokens: the one with the most gives its oldest up to another, until both have as many', async () => {
    const greedy = await Promise.all(Array.from({ length: 100 }, () => started.read()));
    const open = () => greedy.filter(({ isEnded }) => !isEnded).length;
    started.state.actor = 'vera';
    const others = [];
    for (let count = 0; count < 49; count += 1) others.push(await started.read());
    await eventually(() => open() === 51);
    expect((await started.read()).status).toBe(200);
    await eventually(() => open() === 50);
    expect(greedy.filter(({ isEnded }) => isEnded).every(({ text }) => text.endsWith('data: {}\n\n'))).toBe(
      true,
    );
    expect(others.every(({ status, isEnded }) => status === 200 && !isEnded)).toBe(true);
    for (const actor of ['vera', 'ada']) {
      started.state.actor = actor;
      expect((await started.read()).status).toBe(503);
    }
    expect([started.warned.length, started.warned[0]]).toEqual([50, { actor: 'ada', streams: 100 }]);
  });

  it('ends a reader that does not read, and no other', async () => {
    const reader = await started.read();
    const slow = await started.readNothing();
    await eventually(() => started.state.made >= 2);
    started.state.padding = 'x'.repeat(500_000);
    let ticks = 1;
    await eventually(async () => {
      started.tick((ticks += 1));
      return (await started.connections()) === 1;
    });
    expect(slow.bytesRead).toBeLessThan(20_000_000);
    const at = (ticks += 1);
    await eventually(() => {
      started.tick(at);
      return reader.text.includes(`"at":${at}`);
    });
  });

  it('says bye to a reader whose session has ended, and at a drain to all', async () => {
    const reader = await started.read();
    started.state.isAdmitted = false;
    started.tick(2);
    await eventually(() => reader.isEnded);
    expect([reader.text.includes('"at":2'), reader.text.endsWith('event: bye\ndata: {}\n\n')]).toEqual([
      false,
      true,
    ]);
    started.state.isAdmitted = true;
    const last = await started.read();
    started.stream.end();
    await eventually(() => last.isEnded && last.text.endsWith('event: bye\ndata: {}\n\n'));
    expect((await started.read()).status).toBe(503);
  });
});
