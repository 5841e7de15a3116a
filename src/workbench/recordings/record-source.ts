// Records the cases of a source for `portico test --record`: asks the live source, replays the result, and writes the files.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixtureText } from '../../config/fixture/fixture-text.ts';
import { readFixture } from '../../config/fixture/fixture-schema.ts';
import type { CompiledSource } from '../../source/compile-sources.ts';
import { openSession } from '../doctor/session/source-session.ts';
import { fixtureFolder } from './read-fixtures.ts';
import { firstRequest, followingRequests, nameOf, type NamedRequest } from './requests-to-record.ts';
import { createRecorder, type RecordedFixture } from './recorder.ts';
import { replayFixture } from './replay-fixture.ts';

/** The result of recording one request: the file that was written, or why there is none. */
export type RecordResult = NamedRequest & { readonly file?: string; readonly problem?: string };

/** How a source is recorded. */
export type RecordSourceOptions = {
  /** Requests such as `GET /v1/users?limit=2`; if the list is empty, requests of every kind are recorded. */
  readonly requests: readonly string[];
  readonly keepsWhole: boolean;
  /** Whether files that are there already are replaced. */
  readonly overwrites: boolean;
  readonly signal: AbortSignal;
};

/** One request of every kind for each resource, or a problem if the first page cannot be read. */
async function defaultRequests(
  sources: readonly CompiledSource[],
  recorder: ReturnType<typeof createRecorder>,
): Promise<readonly (NamedRequest & { readonly problem?: string })[]> {
  const requests = sources.map(async ({ resource }) => {
    if (!resource.hasList)
      return [
        {
          name: resource.name,
          request: `GET ${resource.path}/…`,
          problem: 'the contract has no list of it, so no id is known; name a request with one',
        },
      ];
    const named = firstRequest(resource);
    const first = await recorder.firstPage(resource);
    return typeof first === 'string'
      ? [{ ...named, problem: first }]
      : [named, ...followingRequests(resource, first)];
  });
  return (await Promise.all(requests)).flat();
}

/** Replays a fixture from its own text, and writes it if that passes. */
async function writeFixture(
  { name, request, fixture }: RecordedFixture,
  sources: readonly CompiledSource[],
  file: string,
  { keepsWhole, overwrites }: RecordSourceOptions,
): Promise<RecordResult> {
  if (!overwrites && existsSync(file))
    return { name, request, problem: `${file} is there already; --overwrite replaces it` };
  const how = keepsWhole ? ' --whole`: every value is as it came.' : '`: personal values are made up.';
  const text = fixtureText(fixture, `Recorded by \`portico test --record${how}`);
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

/**
 * Asks a live source and writes what it was asked, replied and answered as fixtures. `sources` are the resources of one source.
 */
export async function recordSource(
  sources: readonly [CompiledSource, ...CompiledSource[]],
  options: RecordSourceOptions,
): Promise<readonly RecordResult[]> {
  const { requests, keepsWhole, signal } = options;
  const session = openSession(sources[0].source.spec);
  const folder = fixtureFolder(sources[0]);
  const results: RecordResult[] = [];
  try {
    const recorder = createRecorder(sources, session, { keepsWhole, signal });
    const wanted =
      requests.length > 0
        ? requests.map((request) => ({ name: '', request }))
        : await defaultRequests(sources, recorder);
    for (const { problem, ...named } of wanted.map((one) => ({ problem: undefined, ...one }))) {
      const recorded = problem ?? (await recorder.record(named));
      if (typeof recorded === 'string') {
        results.push({
          name: named.name || nameOf(named.request),
          request: named.request,
          problem: recorded,
        });
        continue;
      }
      // The file is named after the recorded request, because that has no real values in it.
      const name = recorded.name || nameOf(recorded.request);
      mkdirSync(folder, { recursive: true });
      const file = join(folder, `${name}.yaml`);
      results.push(await writeFixture({ ...recorded, name }, sources, file, options));
    }
  } finally {
    session.close();
  }
  return results;
}
