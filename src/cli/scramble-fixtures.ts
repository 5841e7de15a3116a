import { charsetOf } from '../adapter/decode.ts';
import type { PagePlan } from '../adapter/plan.ts';
import type { Fixture, RecordedExchange } from '../config/fixture-schema.ts';
import { operations } from '../contract/operations.ts';
import { compileParser } from '../contract/parse-query.ts';
import type { Json } from '../kernel/json.ts';
import type { CompiledSource } from '../pipeline/compile-sources.ts';
import { answerRequest } from './answer-request.ts';
import { maskRequests } from './masked-requests.ts';
import { keptBody, keptRequest } from './record-exchanges.ts';
import { createReplay, replyOf } from './replay.ts';
import { encodeText, rewriteValues } from './rewrite-values.ts';
import {
  makeReplacements,
  type ReadReply,
  readReplies,
  type Replacements,
  textsOf,
} from './scramble-values.ts';

/** Why a fixture cannot be scrambled. */
export class Unscrambled extends Error {}

/** Fixtures with made-up values, each where it can have any, and the values that no other could stand for. */
export type Scrambled = {
  readonly fixtures: readonly (Fixture | Unscrambled)[];
  readonly codes: readonly string[];
};

const KEEP_IT = 'record it without --scramble, or leave this request out';

/** The plan of a page straight from the source; `undefined` where the request has another. */
function pagePlan(request: string, sources: readonly CompiledSource[]): PagePlan | undefined {
  const [path = '', query = ''] = request.replace(/^GET /, '').split('?');
  const operation = operations.find((one) => one.kind === 'list' && one.path === path);
  const compiled = sources.find(({ resource }) => resource === operation?.resource);
  if (operation === undefined || compiled === undefined) return undefined;
  try {
    const asked = compileParser(operation, { limitOverflow: 'reject' })(query, undefined);
    const plan = asked.kind === 'list' ? compiled.adapter.list.plan(asked, new Set()) : undefined;
    return plan?.kind === 'page' ? plan : undefined;
  } catch {
    // A request that is answered 400 has no plan.
    return undefined;
  }
}

/** The fields that a source sorts by itself in one of the fixtures: its rows come in their order. */
function orderedFields(fixtures: readonly Fixture[], sources: readonly CompiledSource[]): readonly string[] {
  return [...new Set(fixtures.flatMap(({ request }) => pagePlan(request, sources)?.sort?.field ?? []))];
}

/** Values that say how a reply is to be read, and names of the next window: they stay. */
function structuralTexts(
  replies: readonly ReadReply[],
  sources: readonly CompiledSource[],
): ReadonlySet<string> {
  const next = replies.flatMap(({ reply }) =>
    sources.flatMap(({ adapter }) => {
      try {
        return adapter.list.read(reply, () => undefined).next ?? [];
      } catch {
        return [];
      }
    }),
  );
  const named = sources.flatMap(({ source }) => {
    const said = source.spec.outcomes.flatMap(({ equals }) => (equals === undefined ? [] : [equals].flat()));
    return said.map(String);
  });
  const links = next.flatMap((target) =>
    replies.flatMap(({ explainer, reply }) =>
      textsOf(explainer.body(reply) ?? null).filter((text) => text.includes(target)),
    ),
  );
  return new Set([...next, ...named, ...links]);
}

/** The exchange with other values in its reply. @throws Unscrambled */
function scrambleReply(exchange: RecordedExchange, { texts }: Replacements, { source }: CompiledSource) {
  const reply = replyOf(exchange);
  const { decode } = source.spec;
  const charset = charsetOf(decode, reply);
  const body = new TextDecoder(charset).decode(reply.body);
  const made = encodeText(
    rewriteValues(body, decode, (text) => texts.get(text)),
    charset,
  );
  if (made === undefined) throw new Unscrambled(`bodies in ${charset} cannot be written; ${KEEP_IT}`);
  const { status, headers } = exchange.reply;
  return { ...exchange, reply: { status, headers, ...keptBody(made) } };
}

/** The request with the values that its id and filters have become. */
function scrambleRequest(request: string, { values }: Replacements): string {
  const [path = '', ...rest] = request.replace(/^GET /, '').split('?');
  const newPath = path.replace(/^(\/v1\/[^/]+\/)(.+)$/, (whole, list: string, id: string) => {
    const made = values.get(`id ${id}`);
    return made === undefined ? whole : list + made;
  });
  if (rest.length === 0) return `GET ${newPath}`;
  const filters = operations.flatMap(({ resource }) => resource.filters);
  const query = rest
    .join('?')
    .split('&')
    .map((part) => {
      const [name = '', ...value] = part.split('=');
      const filter = filters.find((one) => one.name === name && one.op === 'eq');
      const made = filter && values.get(`${filter.field} ${decodeURIComponent(value.join('='))}`);
      return made === undefined ? part : `${name}=${encodeURIComponent(made)}`;
    });
  return `GET ${newPath}?${query.join('&')}`;
}

/** Answers a request from scrambled replies; the requests that this makes take the place of the recorded ones. */
async function answerAgain(
  request: string,
  exchanges: readonly RecordedExchange[],
  { texts, values }: Replacements,
  sources: readonly CompiledSource[],
) {
  const became = new Map([
    ...texts,
    ...[...values].map(([key, after]) => [key.replace(/^\S+ /, ''), after] as const),
  ]);
  const made: RecordedExchange[] = [];
  const contradicted: string[] = [];
  let masked: ReturnType<typeof maskRequests> | undefined;
  const replay = createReplay(exchanges, {
    shown: (asked) => masked?.shown.get(asked),
    became,
    onReplayed: (exchange, asked) => made.push({ ...exchange, request: keptRequest(asked) }),
  });
  const answer = await answerRequest(request, {
    sources,
    upstreamOf(compiled) {
      masked = maskRequests(compiled);
      return { upstream: replay.upstream, adapter: masked.adapter };
    },
    onContradicted: (capability) => contradicted.push(capability),
    signal: new AbortController().signal,
  });
  return { answer, made, contradicted, replay };
}

/** @throws Unscrambled */
function checkLeftovers(exchange: RecordedExchange, { texts }: Replacements, read: ReadReply): void {
  const body: Json | undefined = read.explainer.body(replyOf(exchange));
  if (textsOf(body ?? null).some((text) => texts.has(text)))
    throw new Unscrambled(`a value stands where it cannot be replaced; ${KEEP_IT}`);
}

async function scrambleOne(
  fixture: Fixture,
  replacements: Replacements,
  sources: readonly CompiledSource[],
): Promise<Fixture> {
  const name = /^GET \/v1\/([a-z]+)/.exec(fixture.request)?.[1];
  const compiled = sources.find(({ resource }) => resource.name === name);
  if (compiled === undefined) throw new Unscrambled('the source does not have this resource');
  if (compiled.adapter.list.details !== undefined)
    throw new Unscrambled(`values in the details of rows would stay; ${KEEP_IT}`);
  const upstream = fixture.upstream.map((exchange) => scrambleReply(exchange, replacements, compiled));
  for (const read of readReplies([fixture], sources))
    for (const exchange of upstream) checkLeftovers(exchange, replacements, read);
  const none: Replacements = { texts: new Map(), values: new Map(), codes: [] };
  const before = await answerAgain(fixture.request, fixture.upstream, none, sources);
  const request = scrambleRequest(fixture.request, replacements);
  const { answer, made, contradicted, replay } = await answerAgain(request, upstream, replacements, sources);
  const broken = contradicted.some((capability) => !before.contradicted.includes(capability));
  // A claim that rows break is tried once more, with requests that were not recorded.
  if (broken || replay.unexpected.length > 0 || replay.unasked().length > 0) {
    const relies = pagePlan(fixture.request, sources)?.relies.join(', ') ?? 'the same requests';
    throw new Unscrambled(`made-up values break what the request relies on (${relies}); ${KEEP_IT}`);
  }
  if (answer.status !== fixture.status)
    throw new Unscrambled(
      `the answer would be ${answer.status} (${answer.error?.detail ?? 'no detail'}); ${KEEP_IT}`,
    );
  const expected = answer.error === undefined ? { body: answer.body } : { error: answer.error.code };
  return { request, upstream: made, status: answer.status, expected };
}

/**
 * Puts made-up values of the same form in the place of those of recorded fixtures. Equal values stay equal, over all
 * of the fixtures; numeric ids stay; the answers are computed anew. What cannot be scrambled says why.
 */
export async function scrambleFixtures(
  fixtures: readonly Fixture[],
  sources: readonly CompiledSource[],
): Promise<Scrambled> {
  const replies = readReplies(fixtures, sources);
  const ordered = orderedFields(fixtures, sources);
  const kept = structuralTexts(replies, sources);
  const replacements = makeReplacements(fixtures, replies, sources, ordered, kept);
  const scrambled: (Fixture | Unscrambled)[] = [];
  for (const fixture of fixtures) {
    try {
      scrambled.push(await scrambleOne(fixture, replacements, sources));
    } catch (error) {
      if (!(error instanceof Unscrambled)) throw error;
      scrambled.push(error);
    }
  }
  return { fixtures: scrambled, codes: replacements.codes };
}
