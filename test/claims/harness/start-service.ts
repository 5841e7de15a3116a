import {
  type HttpReply,
  type ScriptedUpstream,
  serving,
  startUpstream,
  type UpstreamRequest,
} from '../../support/upstream/scripted-upstream.ts';
import { type Ask, CONTINUED, readAsk } from './ask.ts';
import type { StoredRecord } from './records.ts';
import { correctStages, type Stages, type Windowed, writeRow } from './stages.ts';
import type { Traits } from './traits.ts';

/** The key that a service with `key` asks for, in the header `X-Key`. */
export const SERVICE_KEY = 'a-key-of-the-claims-tests';

/** What a faulty step may know of the service: all its records, and those it had before the first write. */
export type Store = {
  readonly traits: Traits;
  records: readonly StoredRecord[];
  readonly before: readonly StoredRecord[];
  writes: number;
};

/** Replaces steps of the correct service. */
export type Breaks = (correct: Stages, store: Store) => Partial<Stages>;

/** A service at work. */
export type Service = Pick<ScriptedUpstream, 'origin' | 'close'> & {
  readonly store: Store;
  readonly calls: number;
  /** Replies so far that were not those of the correct service; not counted any more behind 20. */
  readonly faultyReplies: number;
  /** From now on, it has these records. */
  write(records: readonly StoredRecord[]): void;
};

const FAULTY_MAX = 20;

/** What stands in `errors` of a good reply in GraphQL. */
const NO_ERRORS = { nothing: {}, null: { errors: null }, 'an empty list': { errors: [] } };

/** A reply as a service gives it that speaks GraphQL: a record that is not there is `null`, under status 200. */
function inGraphql({ resource, graphql }: Traits, ask: Ask, { status, body }: HttpReply): HttpReply {
  const name = ask.kind === 'one' ? resource.slice(0, -1) : resource;
  return { body: { data: { [name]: status === 404 ? null : body }, ...NO_ERRORS[graphql ?? 'nothing'] } };
}

const notFound: HttpReply = { status: 404, body: { error: 'not found' } };

const noIntrospection: HttpReply = { status: 400, body: { errors: [{ message: 'no such query' }] } };

function extrasOf({ traits }: Store, ask: Ask, { next }: Windowed, total: number): Record<string, unknown> {
  const { window, base, echo } = traits;
  const place = window === 'page' ? { page: ask.first / ask.size + base } : { offset: ask.first + base };
  return {
    ...(traits.total === 'body' && { total }),
    ...(window === 'continue' &&
      next !== undefined && { continue: { from: String(next), continue: CONTINUED } }),
    ...(window === 'cursor' && { next: next === undefined ? null : String(next) }),
    ...(echo && { ...place, limit: ask.size }),
  };
}

function headersOf({ traits }: Store, ask: Ask, { next }: Windowed, total: number): Record<string, string> {
  const headers: Record<string, string> = traits.total === 'header' ? { 'X-Total-Count': String(total) } : {};
  if (traits.window === 'link' && next !== undefined) {
    const query = new URLSearchParams(ask.query);
    query.set('cursor', String(next));
    const { origin, path } = ask;
    const target = `?${query.toString()}`;
    const starts = { url: `${origin}${path}`, path, query: '' };
    if (traits.nextAddress === undefined) headers['Link'] = `<${origin}${path}${target}>; rel="next"`;
    else headers['Next-Page'] = `${starts[traits.nextAddress]}${target}`;
  }
  return headers;
}

function listReply(stages: Stages, store: Store, ask: Ask): HttpReply {
  const { traits, records } = store;
  const matched = stages.select(ask, records).filter(({ record }) => stages.matches(ask, record));
  const total = stages.total(ask, matched.length, records.length);
  if (ask.kind === 'count') return { body: { count: total } };
  if (traits.pastEnd === 404 && ask.first > 0 && ask.first >= matched.length) return notFound;
  const windowed = stages.window(ask, stages.order(ask, matched));
  const rows = windowed.rows.map((stored) => {
    const whole = writeRow(traits, stored);
    const { description: _lacking, ...row } = whole;
    return stages.row(ask, traits.hydrate ? row : whole);
  });
  const extras = extrasOf(store, ask, windowed, total);
  return { headers: headersOf(store, ask, windowed, total), body: { items: rows, ...extras } };
}

function oneReply(stages: Stages, { traits, records }: Store, ask: Ask): HttpReply {
  const found = stages.find(ask, records);
  if (found === undefined) return notFound;
  const profile = traits.resource === 'users' ? found.profile : {};
  return { body: stages.row(ask, { ...writeRow(traits, found), ...profile }) };
}

function answer(stages: Stages, store: Store, request: UpstreamRequest): HttpReply {
  const { resource, graphql } = store.traits;
  if (request.path.split('/')[1] !== (graphql === undefined ? resource : 'graphql')) return notFound;
  if (graphql !== undefined && !request.body.includes('"variables":')) return noIntrospection;
  const ask = stages.ask(readAsk(store.traits, request, store.writes));
  if (stages.refuses(ask, request.headers['x-key'] === SERVICE_KEY))
    return { status: 401, body: { error: 'key' } };
  const reply = ask.kind === 'one' ? oneReply(stages, store, ask) : listReply(stages, store, ask);
  return stages.reply(ask, graphql === undefined ? reply : inGraphql(store.traits, ask, reply));
}

/** Starts a service that is correct except for the steps that `breaks` replaces. */
export async function startService(
  traits: Traits,
  records: readonly StoredRecord[],
  breaks: Breaks = () => ({}),
): Promise<Service> {
  const store: Store = { traits, records, before: records, writes: 0 };
  const correct = correctStages(traits);
  const stages: Stages = { ...correct, ...breaks(correct, store) };
  let faultyReplies = 0;
  const upstream = await startUpstream(
    serving((request) => {
      const reply = answer(stages, store, request);
      // To find out is as much work as to answer.
      if (
        faultyReplies < FAULTY_MAX &&
        JSON.stringify(reply) !== JSON.stringify(answer(correct, store, request))
      )
        faultyReplies += 1;
      return reply;
    }),
  );
  return {
    origin: upstream.origin,
    store,
    get calls() {
      return upstream.calls;
    },
    get faultyReplies() {
      return faultyReplies;
    },
    write(written) {
      store.records = written;
      store.writes += 1;
    },
    close: () => upstream.close(),
  };
}
