import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { readConfig, readSource } from '../../src/cli/input/read-config.ts';
import { type ResourceName, resourceNames } from '../support/reference.ts';
import type { CompiledSource } from '../../src/source/compile-sources.ts';
import { parseList } from '../support/pipeline/parse-as.ts';
import { type Stack, startStack } from '../support/gateway/stack.ts';
import type { SourceFile } from './folder.ts';
import {
  type Expected,
  expectedAnswer,
  inventQuestions,
  type Offered,
  pathOf,
  type Question,
} from './questions.ts';
import type { Truth } from './truth.ts';

/** An answer that is not the one expected, with what the log says of it. */
export type Mismatch = {
  readonly path: string;
  readonly expected: string;
  readonly actual: string;
  readonly log: string;
};

/** What came of asking a source all questions. */
export type Asked = {
  readonly queries: number;
  readonly mismatches: readonly Mismatch[];
  /** Queries by how they are answered: `page`, `scan`, `record`, `nothing` (no call is needed), `refused` (400). */
  readonly plans: Readonly<Record<string, number>>;
  /** Claims of the source file that the server contradicted. */
  readonly contradicted: readonly string[];
  readonly seconds: number;
};

/** Where and what to ask. */
export type AskSourceOptions = {
  readonly source: SourceFile;
  readonly env: Readonly<Record<string, string>>;
  readonly truth: Truth;
  readonly seed: number;
  readonly count: number;
};

type LogLine = {
  readonly requestId?: string;
  readonly capability?: string;
  readonly code?: string;
  readonly detail?: string;
  readonly cause?: unknown;
};

/** A folder with the gateway's file and one source, as an operator would write them. */
function writeConfig({ name, file }: SourceFile, offered: Offered): string {
  const folder = mkdtempSync(join(tmpdir(), 'portico-upstreams-'));
  mkdirSync(join(folder, 'sources'));
  copyFileSync(file, join(folder, 'sources', `${name}.yaml`));
  const served = resourceNames.filter((resource) => offered[resource]);
  const gateway = {
    portico: 1,
    listen: { host: '127.0.0.1', port: 0 },
    admin: { port: 0 },
    auth: { apiKeys: { pepper: '${PORTICO_KEY_PEPPER}' } },
    resources: Object.fromEntries(
      served.map((resource) => [resource, { source: name, cache: { fresh: '1s', notFound: '0s' } }]),
    ),
  };
  writeFileSync(join(folder, 'portico.yaml'), stringify(gateway));
  return folder;
}

function offeredBy(compiled: readonly CompiledSource[]): Offered {
  const names = compiled.map(({ resource }) => resource.name);
  const own = compiled.filter(
    ({ resource, source }) => source.spec.resources[resource.name]?.list.order === 'source',
  );
  return {
    users: names.includes('users'),
    products: names.includes('products'),
    inOwnOrder: new Set(own.map(({ resource }) => resource.name as ResourceName)),
  };
}

function planOf(question: Question, expected: Expected, compiled: readonly CompiledSource[]): string {
  if (expected.status === 400) return 'refused';
  if ('userId' in question) return 'record';
  const { resource, parameters } = question;
  const { adapter } = compiled.find((one) => one.resource.name === resource)!;
  const query = parseList(`${resource}.list`, String(new URLSearchParams(parameters)));
  return adapter.list.plan(query, new Set()).kind;
}

function codeOf(body: string): { code?: string; message?: string } {
  return (JSON.parse(body) as { error?: { code?: string; message?: string } }).error ?? {};
}

function isRight(expected: Expected, status: number, body: string): boolean {
  if (status !== expected.status) return false;
  if (expected.status === 200) return body === expected.body;
  const { code, message = '' } = codeOf(body);
  if (expected.status === 404) return code === 'not_found';
  return code === 'invalid_parameter' && message.includes(`"${expected.parameter}"`);
}

function logOf(stack: Stack, requestId: string | null): string {
  const line = stack.log
    .map((text) => JSON.parse(text) as LogLine)
    .findLast((entry) => entry.requestId === requestId);
  const { code, detail, cause } = line ?? {};
  return JSON.stringify({ code, detail, cause });
}

async function askOne(stack: Stack, question: Question, expected: Expected): Promise<Mismatch | undefined> {
  const path = pathOf(question);
  const expectedText = expected.status === 200 ? `200 ${expected.body}` : JSON.stringify(expected);
  try {
    // `get` checks every answer against the OpenAPI document too.
    const response = await stack.get(path);
    const body = await response.text();
    if (isRight(expected, response.status, body)) return undefined;
    const log = logOf(stack, response.headers.get('x-request-id'));
    return { path, expected: expectedText, actual: `${response.status} ${body}`, log };
  } catch (error) {
    return { path, expected: expectedText, actual: String(error), log: '' };
  }
}

/** Puts a gateway in front of a running server, with a source file and nothing else, and asks it questions. */
export async function askSource({ source, env, truth, seed, count }: AskSourceOptions): Promise<Asked> {
  const offered = offeredBy(readSource(source.file));
  const folder = writeConfig(source, offered);
  const configFile = join(folder, 'portico.yaml');
  const stack = await startStack({ configFile, env, upstream: env['UPSTREAM_URL'] ?? '' });
  const started = performance.now();
  try {
    const { compiled } = readConfig(configFile, { ...env, PORTICO_KEY_PEPPER: 'a-pepper-to-read-it-by' });
    const mismatches: Mismatch[] = [];
    const plans: Record<string, number> = {};
    const questions = inventQuestions(truth, offered, { seed, count });
    for (const question of questions) {
      const expected = expectedAnswer(question, truth, offered);
      const plan = planOf(question, expected, compiled);
      plans[plan] = (plans[plan] ?? 0) + 1;
      const mismatch = await askOne(stack, question, expected);
      if (mismatch !== undefined) mismatches.push(mismatch);
    }
    const lines = stack.log.map((text) => JSON.parse(text) as LogLine);
    const contradicted = lines.flatMap(({ capability }) => capability ?? []);
    const seconds = (performance.now() - started) / 1_000;
    return { queries: questions.length, mismatches, plans, contradicted, seconds };
  } finally {
    await stack.close();
    rmSync(folder, { recursive: true });
  }
}
