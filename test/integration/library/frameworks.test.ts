import 'reflect-metadata';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import middie from '@fastify/middie';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import Fastify from 'fastify';
import { AUTHORIZED, createHosted } from '../../support/gateway/hosted.ts';
import type { Portico } from '../../../src/library.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';

/** The hosts: each starts a server with a gateway below `/api`, if it knows paths, and tells its address. */
const hosts: readonly [string, string, (portico: Portico) => Promise<string>][] = [
  [
    'node:http',
    '',
    async (portico) => {
      const server = createServer((req, res) => portico.handler(req, res, () => res.writeHead(404).end()));
      endAfterTest(server);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
  ],
  [
    'Fastify',
    '/api',
    async (portico) => {
      const app = endAfterTest(Fastify({ forceCloseConnections: true }));
      await app.register(middie);
      app.use('/api', portico.handler);
      return app.listen({ port: 0, host: '127.0.0.1' });
    },
  ],
  [
    'NestJS',
    '/api',
    async (portico) => {
      class AppModule {
        readonly isOfHost = true;
      }
      Module({})(AppModule);
      const options = { logger: false, bodyParser: false, forceCloseConnections: true } as const;
      // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- Nest declares its options as a class
      const app = endAfterTest(await NestFactory.create(AppModule, options));
      app.use('/api', portico.handler);
      await app.listen(0, '127.0.0.1');
      return app.getUrl();
    },
  ],
];

describe.each(hosts)('a gateway in %s', (_name, path, start) => {
  it('answers what is its own, passes bodies on, and leaves the rest to the host', async () => {
    const base = await start(await createHosted());
    const ask = (asked: string, init = {}) => fetch(base + path + asked, { headers: AUTHORIZED, ...init });
    expect((await ask('/v1/users?limit=1')).status).toBe(200);
    const { servers } = (await (await ask('/v1/openapi.json')).json()) as { servers: { url: string }[] };
    expect(servers[0]?.url).toBe(path === '' ? '/' : path);
    const headers = { ...AUTHORIZED, 'content-type': 'application/json' };
    expect((await ask('/legacy/orders', { method: 'POST', body: '{"item":1}', headers })).status).toBe(201);
    const other = await ask('/elsewhere');
    expect([other.status, other.headers.has('x-request-id')]).toEqual([404, false]);
  });
});
