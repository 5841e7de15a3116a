import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { ENTRY_HOOK, instrument } from './instrument.ts';
import { type Entry, TRACE_HEADER } from './layers.ts';

/*
 * Loaded before the gateway of the checkout in the working directory (`node --import`): instruments every file of its
 * `src`, and sends to the parent which functions a request with a `TRACE_HEADER` entered.
 */

const root = `${process.cwd()}/`;
const traced = new AsyncLocalStorage<Entry[] | undefined>();

Object.assign(globalThis, {
  [ENTRY_HOOK]: (path: string, name: string, at: number) => void traced.getStore()?.push({ path, name, at }),
});

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.startsWith('file:') || !url.endsWith('.ts')) return loaded;
    const file = fileURLToPath(url);
    if (!file.startsWith(`${root}src/`)) return loaded;
    return { ...loaded, source: instrument(file.slice(root.length), readFileSync(file, 'utf8')) };
  },
});

// Each request has a context of its own, one of the sample services none: they are servers of this process, too.
subscribe('http.server.request.start', (message) => {
  const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
  const name = request.headers[TRACE_HEADER];
  const entries: Entry[] | undefined = typeof name === 'string' ? [] : undefined;
  traced.enterWith(entries);
  if (entries !== undefined) response.once('finish', () => process.send?.({ name, entries }));
});
