// Reads large replies in another thread, because parsing them would stop all other requests of the process meanwhile.

import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { GetAdapter } from '../../../source/adapter/compile-record.ts';
import { type Adapter, observedListReaders } from '../../../source/adapter/compile.ts';
import { proofOf } from '../../../source/adapter/read/credential-proof.ts';
import type { RuleObserver } from '../../../source/adapter/map/reply-observer.ts';
import type { SourceSpec } from '../../../config/schema/source.ts';
import type { Resource } from '../../../contract/resource.ts';
import { fault, invalidReply } from '../../../kernel/errors/fault.ts';
import type { UpstreamReply } from '../../../kernel/upstream-call.ts';
import {
  type CarriedFault,
  compileCodecs,
  readPart,
  type ReaderData,
  type ReadingResult,
  type ReplyView,
} from './reply-parts.ts';

/** The reader of large replies. A reply can have a list, one record, or a count. */
export type LargeReplies = ReturnType<typeof createLargeReplies>;

type Readable = {
  readonly adapter: Adapter;
  readonly resource: Resource;
  readonly source: { readonly spec: SourceSpec };
};

/** Bodies up to this size are read in a few milliseconds, whatever their format. */
const LARGE_BYTES = 128 * 1024;
/** How long a thread without work is kept before it ends. */
const IDLE_MS = 60_000;

/** The thread's file has the extension of this file: `.ts` if Node strips the types itself, `.js` in the build. */
const THREAD = new URL(`./reading-thread${extname(import.meta.url)}`, import.meta.url);

/** The data that the thread needs to read replies of a source. The credentials are left out. */
function readerDataOf({ source: { spec }, resource }: Readable): ReaderData {
  const { tls: _tls, ...net } = spec.net;
  const proof = proofOf(spec);
  return {
    spec: { ...spec, auth: { kind: 'none' }, net: { ...net, headers: {} } },
    contract: resource.spec,
    resource: resource.name,
    proof,
  };
}

/** The names of the headers that the adapter may read in a reply. A source file names each under the key `header`. */
function headerNames(spec: unknown): readonly string[] {
  const names = new Set(['content-type', 'date', 'retry-after']);
  JSON.stringify(spec, (key, value: unknown) => {
    if (key === 'header' && typeof value === 'string') names.add(value.toLowerCase());
    return value;
  });
  return [...names];
}

function faultOf({ code, ...carried }: CarriedFault): Error {
  const given = Object.entries(carried).filter(([, value]) => value !== undefined);
  return fault(code, Object.fromEntries(given));
}

type PendingReply = RuleObserver & {
  resolve(parts: readonly Uint8Array[] | undefined): void;
  reject(error: Error): void;
};

/** Creates a thread that starts with the first reply, and ends after a minute without one. */
function createThread(data: ReaderData) {
  const waiting = new Map<number, PendingReply>();
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let lastId = 0;

  function settle(id: number): PendingReply | undefined {
    const one = waiting.get(id);
    waiting.delete(id);
    if (waiting.size === 0) idle = setTimeout(() => void end(), IDLE_MS).unref();
    return one;
  }

  function onResult(result: ReadingResult): void {
    const one = settle(result.id);
    // If the thread failed, the main thread reads the reply itself, so the rule is reported there.
    if (!('failed' in result)) one?.onRule(result.rule);
    if ('fault' in result) one?.reject(faultOf(result.fault));
    else one?.resolve('parts' in result ? result.parts : undefined);
  }

  /** Ends the thread. The main thread then reads the pending replies itself. */
  async function end(): Promise<void> {
    const ended = worker;
    worker = undefined;
    clearTimeout(idle);
    for (const one of waiting.values()) one.resolve(undefined);
    waiting.clear();
    await ended?.terminate();
  }

  function start(): Worker {
    const started = new Worker(THREAD, { workerData: data, env: {} });
    started.unref();
    started.on('message', onResult);
    started.on('error', (error) => {
      // If a reply needs too much memory for the thread, the main thread must not try it, either.
      if ((error as NodeJS.ErrnoException).code !== 'ERR_WORKER_OUT_OF_MEMORY') return;
      for (const one of waiting.values())
        one.reject(invalidReply('too_large', 'reading the body takes too much memory'));
      waiting.clear();
    });
    started.on('exit', () => void (worker === started && end()));
    return started;
  }

  return {
    end,
    read(
      reply: UpstreamReply,
      view: ReplyView,
      headers: readonly string[],
      { onRule }: RuleObserver,
      signal: AbortSignal,
    ): Promise<readonly Uint8Array[] | undefined> {
      worker ??= start();
      clearTimeout(idle);
      lastId += 1;
      const id = lastId;
      const sent = Object.fromEntries(headers.map((name) => [name, reply.header(name)]));
      const body = Uint8Array.from(reply.body);
      worker.postMessage({ id, view, status: reply.status, headers: sent, body }, [body.buffer]);
      const reading = Promise.withResolvers<readonly Uint8Array[] | undefined>();
      const abort = () => {
        settle(id);
        reading.reject(signal.reason as Error);
        // Nobody waits for what the thread reads.
        if (waiting.size === 0) void end();
      };
      waiting.set(id, { ...reading, onRule });
      signal.addEventListener('abort', abort, { once: true });
      return reading.promise.finally(() => signal.removeEventListener('abort', abort));
    },
  };
}

/** Creates the reader of large replies of one resource of one source. */
export function createLargeReplies(compiled: Readable) {
  const { adapter, source, resource } = compiled;
  const thread = createThread(readerDataOf(compiled));
  const { resources, outcomes } = source.spec;
  const headers = headerNames([resources, outcomes, proofOf(source.spec)]);
  const codecs = compileCodecs(source.spec, resource);
  const bytesOf = new WeakMap<UpstreamReply, Uint8Array>();

  const readRows: Adapter['list']['read'] = (reply, { onMissingValue }) =>
    readPart(codecs.list, bytesOf.get(reply) as Uint8Array, onMissingValue);
  const parts = observedListReaders({ read: readRows, readWritten: readRows });
  const read: Adapter['list']['read'] = (reply, observer) =>
    (bytesOf.has(reply) ? parts : adapter.list).read(reply, observer);
  const readWritten: Adapter['list']['readWritten'] = (reply, observer) =>
    (bytesOf.has(reply) ? parts : adapter.list).readWritten(reply, observer);

  function readCount(reply: UpstreamReply, observer: RuleObserver): number | undefined {
    const bytes = bytesOf.get(reply);
    if (bytes === undefined) return adapter.list.readCount(reply, observer);
    return readPart(codecs.count, bytes, () => undefined).total;
  }

  function recordsOf<T extends GetAdapter>(one: T, view: 'details' | 'get'): T {
    const find: GetAdapter['find'] = (reply, observer) => {
      const bytes = bytesOf.get(reply);
      if (bytes === undefined) return one.find(reply, observer);
      return readPart(codecs[view], bytes, observer.onMissingValue).records[0];
    };
    return { ...one, find, read: one.readWith(find) };
  }

  async function partsOf(
    reply: UpstreamReply,
    view: ReplyView,
    observer: RuleObserver,
    signal: AbortSignal,
  ): Promise<readonly UpstreamReply[] | undefined> {
    signal.throwIfAborted();
    const parts = await thread.read(reply, view, headers, observer, signal);
    return parts?.map((bytes) => {
      const part = { ...reply, body: Buffer.alloc(0) };
      bytesOf.set(part, bytes);
      return part;
    });
  }

  const { list, get } = adapter;
  const details = list.details && recordsOf(list.details, 'details');
  const readable: Adapter = {
    list: { ...list, read, readWritten, readCount, details },
    get: get && recordsOf(get, 'get'),
  };

  return {
    /** The adapter of the source. It can also read the parts that `parts` returns. */
    adapter: readable,
    /**
     * Has the thread read a large reply, and returns its parts, each small enough to be read at once. A record or a total is
     * one part. `undefined` if the reply is small, or if the thread cannot read it. The observer gets the response rule of the
     * reply here, once, and not when the parts are read. @throws GatewayError as the adapter does
     */
    parts(reply: UpstreamReply, observer: RuleObserver, signal: AbortSignal, view: ReplyView = 'list') {
      return reply.body.length < LARGE_BYTES ? undefined : partsOf(reply, view, observer, signal);
    },
    /** Ends the thread, with whatever it reads. */
    close: () => thread.end(),
  };
}

/**
 * Reads a reply of which only the first part is needed: one record, a count, or the first rows of a list. If the reply is
 * large, the thread reads it, and `read` gets its first part. @throws GatewayError as `read` does
 */
export function readInThreadIfLarge<T>(
  { largeReplies }: { readonly largeReplies?: Pick<LargeReplies, 'parts'> },
  reply: UpstreamReply,
  { view, observer, signal }: { view: ReplyView; observer: RuleObserver; signal: AbortSignal },
  read: (reply: UpstreamReply) => T,
): T | Promise<T> {
  const parts = largeReplies?.parts(reply, observer, signal, view);
  return parts === undefined ? read(reply) : parts.then((found) => read(found?.[0] ?? reply));
}
