import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newApiKey, newKeyId } from '../../../src/pipeline/stages/authentication/api-key.ts';
import {
  createOutputWatch,
  MARKER,
  type OutputWatch,
  readTotals,
  reportTotals,
} from '../../support/secret-markers/marker-watch.ts';
import { NODE } from '../../support/gateway/gateway-process.ts';
import { askRaw, request } from '../../support/client/raw-client.ts';
import { startForAll } from '../../support/jest/lifetime.ts';

let port: number;
let folder: string;
let watch: OutputWatch;

// The secret marker comes in two pieces.
const server = startForAll(() =>
  createServer((_request, response) => {
    response.setHeader('Content-Length', MARKER.length + 11);
    response.write(`{"name":"${MARKER.slice(0, 5)}`);
    setTimeout(() => response.end(`${MARKER.slice(5)}"}`), 20);
  }),
);
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portico-watch-'));
  watch = createOutputWatch(folder);
});
afterEach(() => {
  watch.end();
  rmSync(folder, { recursive: true });
});
afterAll(() => {
  server.closeAllConnections();
});

const ways: Readonly<Record<string, () => Promise<unknown>>> = {
  fetch: async () => (await fetch(`http://127.0.0.1:${port}/`)).text(),
  'node:http': () =>
    new Promise((resolve) =>
      get({ port, host: '127.0.0.1' }, (answer) => answer.resume().on('end', resolve)),
    ),
  'a socket': () => askRaw(port, request('GET', '/', ['Connection: close'])),
};

describe('the secret marker watch', () => {
  it.each(Object.keys(ways))('finds a secret marker in an answer that is read by %s', async (way) => {
    const forget = watch.port(port);
    await ways[way]!();
    expect(watch.totals.found).toHaveLength(1);
    forget();
    await ways[way]!();
    expect(watch.totals.found).toHaveLength(1);
  });

  it('ignores the outputs of upstream services', async () => {
    await ways['fetch']!();
    expect(watch.totals).toEqual({ outputs: 0, bytes: 0, found: [] });
  });

  it.each([MARKER, 'crm-sample-password', 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJlIQ'])(
    'finds %s in what a command says',
    (secret) => {
      watch.of('command', 'portico')(`the secret is ${secret}\n`);
      expect(watch.totals.found).toEqual([expect.stringContaining(secret)]);
    },
  );

  it('lets a command print a new key, and no gateway', () => {
    const line = `${newApiKey(newKeyId())}\n`;
    watch.of('command', 'portico keys create')(line);
    expect(watch.totals.found).toEqual([]);
    watch.of('gateway', 'the log')(line);
    expect(watch.totals.found).toHaveLength(1);
  });

  it('prints how much was searched, or fails the run with what was found', () => {
    watch.of('gateway', 'the log')('nothing of interest\n');
    watch.end();
    expect(reportTotals(readTotals(folder))).toBe('secret markers: 0 found in 1 outputs (0.0 MiB)');
    watch.of('gateway', 'the log')(`"password":"${MARKER}"\n`);
    expect(() => reportTotals(readTotals(folder))).toThrow(/^secret markers: 1 found/);
  });

  it('fails a run in which a secret marker was in an answer, even when every test passes', async () => {
    const args = [
      'node_modules/jest/bin/jest.js',
      '--config',
      'test/support/secret-markers/leak/jest.config.js',
    ];
    // Not by the harness, which looks at what processes say.
    const run = spawn(NODE, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    run.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    const [code] = (await once(run, 'close')) as [number];
    expect(said).toMatch(/^Tests: +1 passed, 1 total$/m);
    expect(said).toMatch(/secret markers: [1-9]\d* found/);
    expect(code).toBe(1);
  }, 120_000);
});
