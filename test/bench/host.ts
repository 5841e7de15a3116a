/*
 * A host: an application of Express, or a server of `node:http`, with nothing but a gateway, mounted as a user does it. It
 * takes the arguments of `portico start`, and writes its log as that does. `HOST` says what is different, see `Host` in
 * `portico-server.ts`.
 */

import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import express from 'express';
import { pino } from 'pino';
import { openLogOutput } from '../../src/cli/output/log-output.ts';
import { createPortico, type PorticoOptions } from '../../src/library.ts';

const { HOST, HOST_PORT } = process.env;
const { values } = parseArgs({
  options: { config: { type: 'string', default: '' } },
  allowPositionals: true,
});
const permissions = ['users:read', 'products:read', 'orders:read'];
const authenticate: PorticoOptions['authenticate'] = () => ({ id: 'bench', tier: 'bench', permissions });
const portico = await createPortico({
  config: values.config,
  logger: pino(openLogOutput(false)),
  ...(HOST === 'authenticates' && { authenticate }),
});
const isTuned = HOST === 'tuned' || HOST === 'node';
const app = express();
if (isTuned) app.disable('x-powered-by');
app.use(portico.handler);
const listener = HOST === 'node' ? portico.handler : app;
createServer({ optimizeEmptyRequests: isTuned }, listener).listen(Number(HOST_PORT), '127.0.0.1');
