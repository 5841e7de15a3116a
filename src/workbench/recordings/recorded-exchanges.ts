// Turns the calls of a session with a source into the form in which a recorded case keeps them: without secrets, and of the
// headers only those that are read.

import type { RecordedExchange } from '../../config/fixture/fixture-schema.ts';
import type { SourceSpec } from '../../config/schema/source.ts';
import type { UpstreamReply, UpstreamRequest } from '../../kernel/upstream-call.ts';
import type { RecordView } from '../../source/adapter/map/row-fields.ts';
import { MASK } from '../../kernel/secret.ts';
import type { PairedAdapter } from '../doctor/session/pair-requests.ts';
import type { SessionCall } from '../doctor/session/source-session.ts';

/** An exchange, and the view of the resource that its reply belongs to. */
export type ViewedExchange = { readonly exchange: RecordedExchange; readonly view: RecordView };

/** The headers of a reply that the source's file says are read; no other is kept. */
function headersRead({ resources }: SourceSpec): readonly string[] {
  const named = Object.values(resources).flatMap((resource) => {
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

/** The bytes of a body as a fixture has them: as text, or in base64 if they are not UTF-8, because text would change them. */
export function keptBody(bytes: Buffer): Pick<RecordedExchange['reply'], 'body' | 'base64'> {
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? { body: text } : { base64: bytes.toString('base64') };
}

/** The form in which a fixture keeps a request whose secrets are masked. */
export function keptRequest(shown: UpstreamRequest): RecordedExchange['request'] {
  const headers = Object.entries(shown.headers).filter(([, value]) => !value.includes(MASK));
  return {
    method: shown.method,
    target: shown.target.replaceAll('%2A%2A%2A', MASK),
    headers: Object.fromEntries(headers),
    ...(shown.body !== undefined && { body: shown.body.text }),
  };
}

/** The exchanges of a session as a fixture keeps them, or a text that says why they cannot be kept. */
export function recordedExchanges(
  calls: readonly SessionCall[],
  spec: SourceSpec,
  { counterparts, views }: PairedAdapter,
): readonly ViewedExchange[] | string {
  const names = headersRead(spec);
  const exchanges: ViewedExchange[] = [];
  for (const { request, reply, problem } of calls) {
    if (reply === undefined) return `a call had no reply: ${problem?.detail ?? problem?.code ?? 'stopped'}`;
    const masked = counterparts.get(request);
    if (masked === undefined) return 'a call cannot be kept without the secrets that it was filled in with';
    const exchange = { request: keptRequest(masked), reply: keptReply(reply, names) };
    exchanges.push({ exchange, view: views.get(reply) ?? 'list' });
  }
  return exchanges;
}
