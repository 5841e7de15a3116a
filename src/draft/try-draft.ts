import type { CompiledSource } from '../pipeline/compile-sources.ts';
import { answerRequest } from '../probe/answer-request.ts';
import { openSession, type SourceSession } from '../probe/session/source-session.ts';

/** The result of one request that was answered by means of a draft. */
export type DraftTrial = {
  readonly request: string;
  readonly status: number;
  /** `meta.total` of a list. */
  readonly total?: number;
  /** Why there is no answer, with the detail of the log. */
  readonly reason?: string;
  /** How often each field became `null` because it could not be read. */
  readonly unreadable: Readonly<Record<string, number>>;
  readonly contradicted: readonly string[];
};

type Answered = {
  readonly data?: { readonly id: string } | readonly { readonly id: string }[];
  readonly meta?: { readonly total: number };
};

function idsOf(data: Answered['data']): readonly string[] {
  return data === undefined ? [] : [data].flat().map(({ id }) => id);
}

/** An adapter that also counts the fields that cannot be read. */
function countingAdapter(
  adapter: CompiledSource['adapter'],
  unreadable: Record<string, number>,
): CompiledSource['adapter'] {
  const { list, get } = adapter;
  const onGap = (field: string, reason: string) => {
    if (reason === 'unreadable') unreadable[field] = (unreadable[field] ?? 0) + 1;
  };
  return {
    list: { ...list, read: (reply) => list.read(reply, onGap) },
    get: get && { ...get, read: (reply, id) => get.read(reply, id, onGap) },
  };
}

async function tryOne(
  request: string,
  compiled: CompiledSource,
  session: SourceSession,
  signal: AbortSignal,
): Promise<DraftTrial & { readonly ids: readonly string[] }> {
  const unreadable: Record<string, number> = {};
  const contradicted: string[] = [];
  const { status, body, error } = await answerRequest(request, {
    sources: [compiled],
    session,
    adapterOf: (one) => countingAdapter(one.adapter, unreadable),
    onContradicted: (capability) => void contradicted.push(capability),
    signal,
  });
  const { data, meta } = body as unknown as Answered;
  const reason =
    error === undefined ? undefined : `${error.code}${error.detail === undefined ? '' : `: ${error.detail}`}`;
  return {
    request,
    status,
    ...(meta !== undefined && { total: meta.total }),
    ...(reason !== undefined && { reason }),
    unreadable,
    contradicted,
    ids: idsOf(data),
  };
}

/** Answers a few requests of the contract by means of a draft, from the live service: two pages, and one record. */
export async function tryDraft(
  compiled: CompiledSource,
  signal: AbortSignal,
): Promise<readonly DraftTrial[]> {
  const session = openSession(compiled.source.spec);
  const list = `GET /v1/${compiled.resource.name}`;
  try {
    const first = await tryOne(`${list}?limit=10`, compiled, session, signal);
    const second = await tryOne(`${list}?limit=10&page=2`, compiled, session, signal);
    const [id] = second.ids.length > 0 ? second.ids : first.ids;
    const isServed = compiled.adapter.get !== undefined && id !== undefined;
    const record = isServed ? [await tryOne(`${list}/${id}`, compiled, session, signal)] : [];
    return [first, second, ...record].map(({ ids: _ids, ...trial }) => trial);
  } finally {
    session.close();
  }
}
