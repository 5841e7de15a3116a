import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { closest } from '../config/validate/closest.ts';
import { fixtureText } from '../config/fixture/fixture-file.ts';
import { readFixture } from '../config/fixture/fixture-schema.ts';
import type { CompiledSource } from '../pipeline/compile-sources.ts';
import { type CliContext, ExitError, exitCodes } from './context.ts';
import { firstRequest, followingRequests, nameOf, type NamedRequest } from '../fixtures/record-requests.ts';
import { createRecorder, type RecordedFixture, type Recorder } from '../fixtures/recorder.ts';
import { openSession } from '../probe/session/source-session.ts';
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

/** Of values that scrambling leaves as they are, these many are shown. */
const CODES_SHOWN = 10;

/** The default requests of a source, or a problem where its first page cannot be had. */
async function defaultRequests(
  sources: readonly CompiledSource[],
  recorder: Recorder,
  problems: Recorded[],
): Promise<readonly NamedRequest[]> {
  const requests: NamedRequest[] = [];
  for (const { resource } of sources) {
    const named = firstRequest(resource);
    const first = await recorder.firstPage(resource);
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
  made: readonly RecordedFixture[],
  sources: readonly CompiledSource[],
  results: Recorded[],
  context: CliContext,
): Promise<readonly RecordedFixture[]> {
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
  { name, request, fixture }: RecordedFixture,
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
  const session = openSession(one.source.spec);
  const recorder = createRecorder(sources, session, context.stop);
  const results: Recorded[] = [];
  const order: string[] = [];
  const folder = fixtureFolder(one);
  const fileOf = ({ name }: NamedRequest) => join(folder, `${name}.yaml`);
  const made: RecordedFixture[] = [];
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
    session.close();
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
