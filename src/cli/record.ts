import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileSessionReader } from '../adapter/read/session-reader.ts';
import { closest } from '../config/validate/closest.ts';
import { fixtureText } from '../config/fixture/fixture-file.ts';
import { type Fixture, readFixture } from '../config/fixture/fixture-schema.ts';
import type { Json } from '../kernel/json/json.ts';
import type { CompiledSource } from '../pipeline/compile-sources.ts';
import { createUpstream, type Upstream } from '../upstream/client.ts';
import { answerRequest } from '../probe/answer-request.ts';
import { type CliContext, ExitError, exitCodes } from './context.ts';
import { recordExchanges, type RecordingBounds } from '../fixtures/record-exchanges.ts';
import {
  type FirstPage,
  firstRequest,
  followingRequests,
  nameOf,
  type NamedRequest,
} from '../fixtures/record-requests.ts';
import { fixtureFolder } from '../fixtures/read-fixtures.ts';
import { replayFixture } from '../fixtures/replay-fixture.ts';
import { scrambleFixtures, Unscrambled } from '../fixtures/scramble-fixtures.ts';

/** What `portico test --record` may be told. */
export type RecordOptions = {
  readonly scramble?: boolean;
  readonly overwrite?: boolean;
  readonly json?: boolean;
};

/** What became of one request. */
type Recorded = {
  readonly name: string;
  readonly request: string;
  readonly file?: string;
  readonly problem?: string;
};

/** A fixture is read by people: a scan of a whole store is none. */
const BOUNDS: RecordingBounds = { callsMax: 20, bytesMax: 512 * 1024 };

/** Rows that the values of filters are taken from. */
const LOOK_ROWS = 100;

/** Of values that scrambling leaves as they are, these many are shown. */
const CODES_SHOWN = 10;

type Made = NamedRequest & { readonly fixture: Fixture };

/** Asks live sources for fixtures. */
type Recorder = {
  first(resource: CompiledSource['resource']): Promise<FirstPage | string>;
  record(named: NamedRequest): Promise<Made | string>;
};

function createRecorder(
  sources: readonly CompiledSource[],
  upstream: Upstream,
  signal: AbortSignal,
): Recorder {
  async function answered(request: string, bounds: RecordingBounds) {
    let recording: ReturnType<typeof recordExchanges> | undefined;
    const answer = await answerRequest(request, {
      sources,
      upstreamOf: (compiled) => (recording = recordExchanges(compiled, upstream, bounds)),
      onContradicted: () => undefined,
      signal,
    });
    return { answer, exchanges: recording?.exchanges ?? [], problem: recording?.problem() };
  }

  return {
    async first({ name }) {
      const bounds = { callsMax: 1_000, bytesMax: Infinity };
      const { answer } = await answered(`GET /v1/${name}?limit=${LOOK_ROWS}`, bounds);
      if (answer.error !== undefined) return `${answer.error.code}: ${answer.error.detail ?? 'no detail'}`;
      const { data, meta } = answer.body as { data: FirstPage['records']; meta: { total: Json } };
      return { total: Number(meta.total), records: data };
    },
    async record(named) {
      const { answer, exchanges, problem } = await answered(named.request, BOUNDS);
      const { status, body, error } = answer;
      if (problem !== undefined) return problem;
      if (error?.code === 'server_error') return 'Portico itself failed on the replies';
      const expected = error === undefined ? { body } : { error: error.code };
      return { ...named, fixture: { request: named.request, upstream: [...exchanges], status, expected } };
    },
  };
}

/** The default requests of a source, or a problem where its first page cannot be had. */
async function defaultRequests(
  sources: readonly CompiledSource[],
  recorder: Recorder,
  problems: Recorded[],
): Promise<readonly NamedRequest[]> {
  const requests: NamedRequest[] = [];
  for (const { resource } of sources) {
    const named = firstRequest(resource);
    const first = await recorder.first(resource);
    if (typeof first === 'string') problems.push({ ...named, problem: first });
    else requests.push(named, ...followingRequests(resource, first));
  }
  return requests;
}

function chosen(
  [name, ...requests]: readonly string[],
  compiled: readonly CompiledSource[],
  context: CliContext,
): { sources: readonly CompiledSource[]; requests: readonly NamedRequest[] } {
  const known = [...new Set(compiled.map(({ source }) => source.spec.name))];
  const sources = compiled.filter(({ source }) => source.spec.name === name);
  const usage = (told: string) => {
    context.err(`portico: ${told}\n`);
    return new ExitError(exitCodes.usage);
  };
  if (name === undefined) throw usage(`--record needs the name of a source; sources: ${known.join(', ')}`);
  if (sources.length === 0) {
    const near = closest(name, known);
    const hint = near === undefined ? `sources: ${known.join(', ')}` : `did you mean "${near}"?`;
    throw usage(`no source is named "${name}"; ${hint}`);
  }
  const wrong = requests.find((request) => !/^(?:GET )?\/v1\/\S+$/.test(request));
  if (wrong !== undefined) throw usage(`"${wrong}" is no request: write it like 'GET /v1/users?page=2'`);
  const full = requests.map((request) => (request.startsWith('GET ') ? request : `GET ${request}`));
  return { sources, requests: full.map((request) => ({ name: nameOf(request), request })) };
}

/** The fixtures with made-up values; those that cannot have any are told. */
async function scrambleAll(
  made: readonly Made[],
  sources: readonly CompiledSource[],
  results: Recorded[],
  context: CliContext,
): Promise<readonly Made[]> {
  const { fixtures, codes } = await scrambleFixtures(
    made.map(({ fixture }) => fixture),
    sources,
  );
  if (codes.length > 0) {
    const shown = codes.slice(0, CODES_SHOWN).join(', ');
    context.err(`${codes.length} values stay, because none of their form could stand for them: ${shown} …\n`);
  }
  return made.flatMap((named, index) => {
    const fixture = fixtures[index];
    if (fixture === undefined) return [];
    if (!(fixture instanceof Unscrambled)) return [{ ...named, request: fixture.request, fixture }];
    results.push({ name: named.name, request: named.request, problem: fixture.message });
    return [];
  });
}

/** Writes a fixture once it has been replayed from its own text. */
async function keep(
  { name, request, fixture }: Made,
  file: string,
  comment: string,
  sources: readonly CompiledSource[],
): Promise<Recorded> {
  const text = fixtureText(fixture, comment);
  const read = readFixture({ file, text }, []);
  const outcome = read && (await replayFixture(read, sources));
  if (outcome?.passed !== true) {
    const why =
      outcome?.unexpected[0] ?? outcome?.unasked[0] ?? outcome?.differences[0]?.path ?? 'it cannot be read';
    return { name, request, problem: `what was recorded does not replay: ${why}` };
  }
  writeFileSync(file, text);
  return { name, request, file };
}

function resultText({ request, file, problem }: Recorded): string {
  return file === undefined
    ? `not recorded  ${request}\n     ${problem ?? ''}\n`
    : `recorded  ${file}  ${request}\n`;
}

/**
 * `portico test --record <source> [request …]`: asks the live source and writes what was asked, replied and answered
 * as fixtures. Exit code 1 where a request could not be recorded.
 */
export async function runRecord(
  names: readonly string[],
  options: RecordOptions,
  compiled: readonly CompiledSource[],
  context: CliContext,
): Promise<void> {
  const { sources, requests } = chosen(names, compiled, context);
  const [one] = sources;
  if (one === undefined) return;
  const upstream = createUpstream(one.source.spec, {
    onExchange: () => undefined,
    readSession: compileSessionReader(one.source.spec),
  });
  const recorder = createRecorder(sources, upstream, context.stop);
  const results: Recorded[] = [];
  const order: string[] = [];
  const folder = fixtureFolder(one);
  const fileOf = ({ name }: NamedRequest) => join(folder, `${name}.yaml`);
  const made: Made[] = [];
  try {
    const wanted = requests.length > 0 ? requests : await defaultRequests(sources, recorder, results);
    order.push(...wanted.map(({ name }) => name));
    for (const named of wanted) {
      const found =
        options.overwrite !== true && existsSync(fileOf(named))
          ? `${fileOf(named)} is there already; --overwrite replaces it`
          : await recorder.record(named);
      if (typeof found === 'string') results.push({ ...named, problem: found });
      else made.push(found);
    }
  } finally {
    upstream.close();
  }
  const comment =
    options.scramble === true
      ? 'Recorded by `portico test --record --scramble`: values are made up.'
      : 'Recorded by `portico test --record`.';
  const kept = options.scramble === true ? await scrambleAll(made, sources, results, context) : made;
  if (kept.length > 0) mkdirSync(folder, { recursive: true });
  for (const fixture of kept) results.push(await keep(fixture, fileOf(fixture), comment, sources));
  results.sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
  if (options.json === true) context.out(`${JSON.stringify(results, null, 2)}\n`);
  else for (const result of results) context.out(resultText(result));
  if (results.some(({ problem }) => problem !== undefined)) throw new ExitError(exitCodes.failure);
}
