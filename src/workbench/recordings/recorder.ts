// Records one request for `portico test --record`: asks the source, masks the replies, and makes the recorded case.

import type { Fixture, RecordedExchange } from '../../config/fixture/fixture-schema.ts';
import type { Json } from '../../kernel/json/json.ts';
import type { Resource } from '../../contract/resource.ts';
import type { CompiledSource } from '../../source/compile-sources.ts';
import { type Answer, answerRequest, parseRequest } from '../doctor/answer-request.ts';
import { pairWithMasked } from '../doctor/session/masked-source.ts';
import { type PairedAdapter, pairRequests } from '../doctor/session/pair-requests.ts';
import { createReplay } from '../doctor/session/replay.ts';
import { createSession, SessionBudgetSpent, type SourceSession } from '../doctor/session/source-session.ts';
import { type MaskedRecording, maskRecording } from './mask-recording.ts';
import { keptRequest, recordedExchanges, type ViewedExchange } from './recorded-exchanges.ts';
import type { FirstPage, NamedRequest } from './requests-to-record.ts';

/** A request with the fixture that was recorded for it. */
export type RecordedFixture = NamedRequest & { readonly fixture: Fixture };

/** The bounds of one fixture. People read it, so it must not be the scan of a large list. */
const BUDGET = { callsMax: 20, bytesMax: 512 * 1024 };

/** The number of rows from which the values of filters are taken. */
const LIST_ROWS = 100;

const SMALLER = 'name a request that costs less, or record from a store with fewer records';

function spentText({ unit, max }: SessionBudgetSpent): string {
  return unit === 'calls'
    ? `it takes more than ${max} calls; ${SMALLER}`
    : `its replies are larger than ${max} bytes; ${SMALLER}`;
}

/** The answer to a request, and the exchanges with the source that it took. */
type Recording = { readonly answer: Answer; readonly exchanges: readonly ViewedExchange[] };

/** Answers a request through a session, and keeps its exchanges with secrets of the environment masked. */
async function recordAnswer(
  request: string,
  sources: readonly CompiledSource[],
  session: SourceSession,
  signal: AbortSignal,
): Promise<Recording | string> {
  let asked: { compiled: CompiledSource; paired: PairedAdapter } | undefined;
  const answer = await answerRequest(request, {
    sources,
    session,
    adapterOf(compiled) {
      asked = { compiled, paired: pairWithMasked(compiled) };
      return asked.paired.adapter;
    },
    signal,
  });
  const { error } = answer;
  if (error?.cause instanceof SessionBudgetSpent) return spentText(error.cause);
  const exchanges =
    asked === undefined ? [] : recordedExchanges(session.calls, asked.compiled.source.spec, asked.paired);
  if (typeof exchanges === 'string') return exchanges;
  if (error?.code === 'server_error') return 'Portico itself failed on the replies';
  return { answer, exchanges };
}

function fixtureOf(request: string, { status, body, error }: Answer, upstream: readonly RecordedExchange[]) {
  const expected = error === undefined ? { body } : { error: error.code };
  return { request, upstream: [...upstream], status, expected };
}

/** The request with the values of its id and filters as the masked replies have them. */
function maskRequest(
  request: string,
  { filters: parameters }: Resource,
  valueOf: MaskedRecording['valueOf'],
): string {
  const [path = '', ...rest] = request.split('?');
  const masked = path.replace(/(?<=^GET \/v\d+\/[^/]+\/).+$/, (id) => valueOf('id', id));
  if (rest.length === 0) return masked;
  const filters = parameters.filter(({ op }) => op !== 'known');
  const query = rest
    .join('?')
    .split('&')
    .map((part) => {
      const [name = '', ...value] = part.split('=');
      const filter = filters.find((one) => one.name === name);
      const text = new URLSearchParams(`v=${value.join('=')}`).get('v') ?? '';
      if (filter === undefined) return part;
      const texts = filter.op === 'in' ? text.split(',') : [text];
      return `${name}=${encodeURIComponent(texts.map((one) => valueOf(filter.field, one)).join(','))}`;
    });
  return `${masked}?${query.join('&')}`;
}

/**
 * The fixture of a recording whose personal values are masked: the same request is answered once more, from the masked
 * replies, so that what the source is asked and the expected answer are made of masked values, too.
 */
async function maskedFixture(
  request: string,
  { exchanges, answer: real }: Recording,
  sources: readonly CompiledSource[],
  signal: AbortSignal,
): Promise<Fixture | string> {
  const { compiled, query } = parseRequest(request, sources);
  const masked = maskRecording(exchanges, compiled, query);
  if (typeof masked === 'string') return masked;
  const secretless = pairWithMasked(compiled);
  const paired = pairRequests(secretless.adapter, secretless.adapter, masked.toReal);
  const upstream: RecordedExchange[] = [];
  const replay = createReplay(masked.exchanges, {
    counterpart: (asked) => secretless.counterparts.get(paired.counterparts.get(asked) ?? asked),
    onReplayed(exchange, asked) {
      upstream.push({ ...exchange, request: keptRequest(secretless.counterparts.get(asked) ?? asked) });
    },
  });
  const maskedRequest = maskRequest(request, compiled.resource, masked.valueOf);
  const answer = await answerRequest(maskedRequest, {
    sources,
    session: createSession(replay.upstream),
    adapterOf: () => paired.adapter,
    signal,
  });
  if (replay.unexpected.length + replay.unasked().length > 0 || answer.status !== real.status)
    return 'with masked values the source would be asked or read otherwise; --whole keeps them as they are';
  return fixtureOf(maskedRequest, answer, upstream);
}

/**
 * Creates the recorder of the resources of one source. If it returns a text, that says why nothing was recorded. With
 * `keepsWhole`, replies are kept as they came, with every value in them.
 */
export function createRecorder(
  sources: readonly CompiledSource[],
  session: SourceSession,
  { keepsWhole, signal }: { readonly keepsWhole: boolean; readonly signal: AbortSignal },
) {
  return {
    async firstPage({ path }: CompiledSource['resource']): Promise<FirstPage | string> {
      const request = `GET ${path}?limit=${LIST_ROWS}`;
      const part = session.openPart({ callsMax: 1_000 });
      const { error, body } = await answerRequest(request, { sources, session: part, signal });
      if (error !== undefined) return `${error.code}: ${error.detail ?? 'no detail'}`;
      const { data, meta } = body as { data: FirstPage['records']; meta: { total: Json } };
      return { total: Number(meta.total), records: data };
    },
    async record(named: NamedRequest): Promise<RecordedFixture | string> {
      const { request } = named;
      const part = session.openPart({ ...BUDGET, keepsReplies: true });
      const recording = await recordAnswer(request, sources, part, signal);
      if (typeof recording === 'string') return recording;
      const { answer, exchanges } = recording;
      const whole = keepsWhole || exchanges.length === 0;
      const fixture = whole
        ? fixtureOf(
            request,
            answer,
            exchanges.map(({ exchange }) => exchange),
          )
        : await maskedFixture(request, recording, sources, signal);
      return typeof fixture === 'string' ? fixture : { ...named, request: fixture.request, fixture };
    },
  };
}
