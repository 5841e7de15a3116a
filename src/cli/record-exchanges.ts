import type { RecordedExchange } from '../config/fixture-schema.ts';
import type { SourceSpec } from '../config/source-schema.ts';
import { fault, toGatewayError } from '../errors/fault.ts';
import type { UpstreamReply, UpstreamRequest } from '../kernel/upstream.ts';
import type { CompiledSource } from '../pipeline/compile-sources.ts';
import type { Upstream } from '../upstream/client.ts';
import { MASK } from './mask-source.ts';
import { maskRequests } from './masked-requests.ts';

/** An exchange as it was, in a form that a fixture may have. */
export type Recording = {
  readonly upstream: Upstream;
  readonly adapter: CompiledSource['adapter'];
  readonly exchanges: readonly RecordedExchange[];
  /** Why the exchanges are no fixture: there were too many, or one had no reply. */
  readonly problem: () => string | undefined;
};

/** The bounds of one fixture. */
export type RecordingBounds = { readonly callsMax: number; readonly bytesMax: number };

const SMALLER = 'name a request that costs less, or record from a store with fewer records';

/** The headers of a reply that the source's file says are read; no other is kept. */
function headersRead({ resources }: SourceSpec): readonly string[] {
  const named = Object.values(resources).flatMap((resource) => {
    if (resource === undefined) return [];
    const { total, window } = resource.list;
    const link = window.kind === 'link' && 'header' in window.next ? [window.next.header] : [];
    return [...(total?.header === undefined ? [] : [total.header]), ...link];
  });
  return [...new Set(['content-type', 'retry-after', ...named.map((name) => name.toLowerCase())])];
}

function keptReply(reply: UpstreamReply, names: readonly string[]): RecordedExchange['reply'] {
  const headers = Object.fromEntries(
    names.flatMap((name) => {
      const value = reply.header(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
  return { status: reply.status, headers, ...keptBody(reply.body) };
}

/** The bytes of a body as a fixture has them: what is not UTF-8 would be changed by being written as text. */
export function keptBody(bytes: Buffer): Pick<RecordedExchange['reply'], 'body' | 'base64'> {
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? { body: text } : { base64: bytes.toString('base64') };
}

/** A request as a fixture has it, of one that may be shown. */
export function keptRequest(shown: UpstreamRequest): RecordedExchange['request'] {
  const headers = Object.entries(shown.headers).filter(([, value]) => !value.includes(MASK));
  return {
    method: shown.method,
    target: shown.target.replaceAll('%2A%2A%2A', MASK),
    headers: Object.fromEntries(headers),
    ...(shown.body !== undefined && { body: shown.body.text }),
  };
}

/**
 * Asks an upstream and keeps the exchanges. Credentials are added behind this point, so they are never seen here;
 * what else of a request comes from the environment is masked.
 */
export function recordExchanges(
  compiled: CompiledSource,
  upstream: Upstream,
  { callsMax, bytesMax }: RecordingBounds,
): Recording {
  const { adapter, shown } = maskRequests(compiled);
  const names = headersRead(compiled.source.spec);
  const exchanges: RecordedExchange[] = [];
  let problem: string | undefined;
  let calls = 0;
  let bytes = 0;

  const ask: Upstream['ask'] = async (request, read, signal, meter) => {
    calls += 1;
    if (calls > callsMax) problem = `it takes more than ${callsMax} calls; ${SMALLER}`;
    if (bytes > bytesMax) problem = `its replies are larger than ${bytesMax} bytes; ${SMALLER}`;
    if (problem !== undefined) throw fault('scan_limit_exceeded', { detail: problem });
    let kept: UpstreamReply | undefined;
    try {
      return await upstream.ask(
        request,
        (reply) => {
          kept = reply;
          return read(reply);
        },
        signal,
        meter,
      );
    } catch (error) {
      const { code, detail } = toGatewayError(error);
      if (kept === undefined) problem ??= `a call had no reply: ${detail ?? code}`;
      throw error;
    } finally {
      const twin = shown.get(request);
      if (kept === undefined) problem ??= 'a call had no reply';
      else if (twin === undefined) problem ??= 'a call cannot be shown without what it was filled in with';
      else {
        bytes += kept.body.length;
        exchanges.push({ request: keptRequest(twin), reply: keptReply(kept, names) });
      }
    }
  };
  return {
    adapter,
    exchanges,
    problem: () => problem,
    upstream: {
      ask,
      get load() {
        return upstream.load;
      },
      close: () => upstream.close(),
    },
  };
}
