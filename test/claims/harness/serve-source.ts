import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { type Stack, startStack } from '../../support/gateway/stack.ts';
import { expectedAnswer, type Expected, pathOf, type Question } from './questions.ts';
import type { Store } from './start-service.ts';
import { correctStages } from './stages.ts';
import type { StoredRecord } from './records.ts';
import type { Ask } from './ask.ts';

/** An answer that is wrong: neither what the contract says nor a clear error. */
export type WrongAnswer = {
  readonly path: string;
  readonly expected: string;
  readonly actual: string;
  /** Claims that the answer rests on, of which the gateway had logged by then that they are contradicted. */
  readonly contradicted: readonly string[];
};

/** What came of asking questions. */
export type Answers = {
  readonly asked: number;
  /** Questions that were answered otherwise than by a clear error. */
  readonly answered: readonly Question[];
  readonly wrong: readonly WrongAnswer[];
  /** Clear errors, by code, with an example of each. */
  readonly errors: ReadonlyMap<
    string,
    { readonly times: number; readonly path: string; readonly log: string }
  >;
  readonly contradicted: readonly string[];
};

/** A gateway in front of a service, with one source file. */
export type ServedSource = {
  /** Asks all questions, and holds the answers against what the service has now. */
  ask(questions: readonly Question[]): Promise<Answers>;
  /** Forgets cached answers, after a write. */
  purge(): Promise<void>;
  close(): Promise<void>;
};

type LogLine = {
  readonly requestId?: string;
  readonly capability?: string;
  readonly code?: string;
  readonly detail?: string;
};

const CLEAR_ERROR = /^(?:upstream_\w+|scan_limit_exceeded)$/;

/** Writes the gateway's file and the one source as an operator would; returns the folder. */
export function writeConfig(
  { traits }: { readonly traits: Pick<Store['traits'], 'resource'> },
  text: string,
): string {
  const folder = mkdtempSync(join(tmpdir(), 'portico-claims-'));
  mkdirSync(join(folder, 'sources'));
  writeFileSync(join(folder, 'sources', 'draft.yaml'), text);
  const gateway = {
    portico: 1,
    listen: { host: '127.0.0.1', port: 0 },
    admin: { port: 0 },
    auth: { apiKeys: { pepper: '${PORTICO_KEY_PEPPER}' } },
    resources: { [traits.resource]: { source: 'draft', cache: { fresh: '10m', notFound: '10m' } } },
  };
  writeFileSync(join(folder, 'portico.yaml'), stringify(gateway));
  return folder;
}

function linesOf(stack: Stack): readonly LogLine[] {
  return stack.log.map((text) => JSON.parse(text) as LogLine);
}

/** The filters and the sort of a source that an answer rests on, as the gateway names them. */
function partsOf({ list }: { readonly list: Readonly<Record<string, string>> }): readonly string[] {
  const { category, min_price: low, max_price: high, sort = 'id' } = list;
  return [
    ...(category === undefined ? [] : ['filter.category.eq']),
    ...(low === undefined ? [] : ['filter.price.ge']),
    ...(high === undefined ? [] : ['filter.price.le']),
    `sort.${sort.replace('-', '')}.${sort.startsWith('-') ? 'descending' : 'ascending'}`,
  ];
}

/**
 * The contradicted claims that make a wrong answer a late one. Where it rests on several filters, one that still stands
 * may be what is wrong, so all of them must have been disabled.
 */
function disabledFor(question: Question, contradicted: readonly string[]): readonly string[] {
  if ('id' in question) return contradicted.filter((claim) => claim.startsWith('get'));
  const disabled = new Set(contradicted);
  const parts = partsOf(question);
  const filters = parts.filter((part) => part.startsWith('filter'));
  const allDisabled = filters.length > 0 && filters.every((part) => disabled.has(part));
  const isSorted = question.list['sort'] !== undefined;
  return contradicted.filter((claim) => {
    if (claim.startsWith('filter')) return allDisabled && parts.includes(claim);
    if (claim.startsWith('sort')) return parts.includes(claim);
    return !claim.startsWith('get') && !(claim === 'order' && isSorted);
  });
}

function isRight(expected: Expected, status: number, body: string): boolean {
  if (status !== expected.status) return false;
  return expected.status === 404 ? codeOf(body) === 'not_found' : body === expected.body;
}

function codeOf(body: string): string {
  return (JSON.parse(body) as { error?: { code?: string } }).error?.code ?? '';
}

function expectedOf({ traits, records }: Store, question: Question, inOwnOrder: boolean): Expected {
  const own = inOwnOrder
    ? (rows: readonly StoredRecord[]) => correctStages(traits).order({} as Ask, rows)
    : undefined;
  return expectedAnswer(traits, records, question, own);
}

async function askAll(
  stack: Stack,
  store: Store,
  questions: readonly Question[],
  inOwnOrder: boolean,
): Promise<Answers> {
  const wrong: WrongAnswer[] = [];
  const refused = new Set<Question>();
  const errors = new Map<string, { times: number; path: string; log: string }>();
  const contradictedSoFar = () => linesOf(stack).flatMap(({ capability }) => capability ?? []);
  for (const question of questions) {
    const path = pathOf(store.traits, question);
    const response = await stack.get(path);
    const body = await response.text();
    // Where its own order has turned out to be none, the default one is by id.
    const isOwn = inOwnOrder && !contradictedSoFar().includes('order');
    const expected = expectedOf(store, question, isOwn);
    if (isRight(expected, response.status, body)) continue;
    const code = response.status >= 500 ? codeOf(body) : '';
    if (CLEAR_ERROR.test(code)) {
      const line = linesOf(stack).findLast(
        ({ requestId }) => requestId === response.headers.get('x-request-id'),
      );
      const times = (errors.get(code)?.times ?? 0) + 1;
      refused.add(question);
      errors.set(code, { path, log: line?.detail ?? '', ...errors.get(code), times });
      continue;
    }
    const wanted = expected.status === 200 ? `200 ${expected.body}` : '404';
    wrong.push({
      path,
      expected: wanted,
      actual: `${response.status} ${body}`,
      contradicted: disabledFor(question, contradictedSoFar()),
    });
  }
  const answered = questions.filter((question) => !refused.has(question));
  return { asked: questions.length, answered, wrong, errors, contradicted: contradictedSoFar() };
}

/** Puts a gateway with one source file in front of a service. @throws ConfigError */
export async function serveSource(store: Store, origin: string, text: string): Promise<ServedSource> {
  const folder = writeConfig(store, text);
  const stack = await startStack({ configFile: join(folder, 'portico.yaml'), upstream: origin });
  return {
    ask: (questions) => askAll(stack, store, questions, /^ +order: source/m.test(text)),
    async purge() {
      const purged = await fetch(`${stack.adminUrl}/api/cache/purge?tag=*`, { method: 'POST' });
      if (!purged.ok) throw new Error(`the purge was answered ${purged.status}`);
    },
    async close() {
      await stack.close();
      rmSync(folder, { recursive: true });
    },
  };
}
