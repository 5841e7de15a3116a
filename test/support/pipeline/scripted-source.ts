import { compileAdapter } from '../../../src/source/adapter/compile.ts';
import { UNOBSERVED } from '../../../src/source/adapter/map/reply-observer.ts';
import { resources, type ResourceName } from '../reference.ts';
import type { Query } from '../../../src/contract/query.ts';
import { createVerifications } from '../../../src/pipeline/reading/windows/verifications.ts';
import { createAnswer } from '../../../src/pipeline/answer/answer-query.ts';
import { createLocalClaims } from '../../../src/pipeline/reading/windows/source-runtime.ts';
import { createScanCaches } from '../../../src/pipeline/scan-cache/scan-caches.ts';
import type { UpstreamReply } from '../../../src/kernel/upstream-call.ts';
import type { SourceRuntime } from '../../../src/pipeline/reading/windows/source-runtime.ts';
import type { SourceAnswer, SourceHandler } from '../../../src/pipeline/stages/call.ts';
import { createSourceCall } from './call.ts';
import { compileRowCodec, type RowCodec } from '../../../src/store/scan-cache/row-codec.ts';
import type { RedisScanCaches } from '../../../src/store/scan-cache/redis-scan-caches.ts';
import { createManualClock, type ManualClock } from '../time/manual-clock.ts';
import { parseList } from './parse-as.ts';
import { specOf } from './source-text.ts';

/** One call of the gateway, as a source understands it. `number` counts the calls from 1. */
export type Asked = {
  readonly number: number;
  readonly path: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
};

/** What a source answers. */
export type Serve = (asked: Asked) => UpstreamReply | Promise<UpstreamReply>;

/** The pipeline of one resource on a source that a test scripts, without sockets and cache. */
export type ScriptedSource = {
  /** Every call so far. */
  readonly calls: readonly Asked[];
  /** The claims that were told to be contradicted. */
  readonly contradicted: readonly string[];
  readonly missingValues: readonly string[];
  readonly clock: ManualClock;
  /** What answers calls. @throws GatewayError */
  readonly answer: SourceHandler;
  /** The answer to a query. @throws GatewayError */
  readonly fill: (query: Query, signal?: AbortSignal) => Promise<SourceAnswer>;
  /** The body of the answer to a list with this raw query string. @throws GatewayError */
  readonly list: (rawQuery?: string, signal?: AbortSignal) => Promise<string>;
  /** Aborts the work in the background that no caller waits for. */
  readonly close: () => Promise<void>;
};

/** Puts the pipeline on a source: `text` is its file, as `specOf` reads it. `share` makes it one of a fleet. */
export function openSource(
  resource: ResourceName,
  text: string,
  serve: Serve,
  cache = { fresh: 10, notFound: 2 },
  share: (codec: RowCodec) => RedisScanCaches | undefined = () => undefined,
): ScriptedSource {
  const spec = specOf(text);
  const problems: string[] = [];
  const adapter = compileAdapter(spec, resources[resource], (path, message) =>
    problems.push(`${path.join('.')}: ${message}`),
  );
  if (adapter === undefined || problems.length > 0) throw new Error(problems.join('\n'));
  const calls: Asked[] = [];
  const contradicted: string[] = [];
  const missingValues: string[] = [];
  const clock = createManualClock();

  const runtime: SourceRuntime = {
    resource: resources[resource],
    adapter,
    budget: spec.budget,
    clock,
    claims: createLocalClaims(),
    verifications: createVerifications(),
    observer: {
      ...UNOBSERVED,
      onMissingValue: (field, reason) => void missingValues.push(`${field} ${reason}`),
      contradicted: (capability) => void contradicted.push(capability),
    },
    upstream: {
      async ask({ target }, read, signal, usage) {
        if (signal.aborted) throw signal.reason;
        usage.upstreamCalls += 1;
        const url = new URL(target, 'http://source.example');
        const parameters = Object.fromEntries(url.searchParams);
        const asked = { number: calls.length + 1, path: url.pathname, parameters, signal };
        calls.push(asked);
        return read(await serve(asked));
      },
      load: { active: 0, waiting: 0, allowed: 1 },
      close: () => undefined,
    },
  };
  const scanCaches = createScanCaches(runtime, share(compileRowCodec(resources[resource].itemFields)));
  const answer = createAnswer(runtime, cache, scanCaches);
  const fill = (query: Query, signal?: AbortSignal) => answer(createSourceCall(query, signal));

  return {
    calls,
    contradicted,
    missingValues,
    clock,
    answer,
    fill,
    close: () => scanCaches.close(),
    async list(rawQuery = '', signal) {
      const document = await fill(parseList(`${resource}.list`, rawQuery), signal);
      if (!document.found) throw new Error('a list is always found');
      return document.body.toString();
    },
  };
}
