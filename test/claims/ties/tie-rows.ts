import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runInfer } from '../../support/dialects/infer-draft.ts';
import { type Stack, startStack } from '../../support/gateway/stack.ts';
import { modelBody, modelList, type ModelRecord } from '../../support/model/contract-model.ts';
import { drawn } from '../harness/records.ts';
import type { Outcome, RowOptions, TableRow } from '../harness/row.ts';
import { writeConfig } from '../harness/serve-source.ts';
import { tiedSets, untiedRows } from './data-sets.ts';
import {
  startTiedService,
  type TiedDialect,
  tiedDialects,
  type TiedService,
  type TieOrder,
} from './tied-service.ts';
import { wrongLines } from '../harness/describe-outcome.ts';

/*
 * A draft is made of a service whose rows do not tie, doctor passes it, and then rows are written that do. Pages of every
 * sort must stay those of the contract, wherever a page ends.
 */

const SORTS = ['name', '-name', 'email', '-email', 'created_at', '-created_at'];
const LIMITS = [1, 2, 7, 50];
/** Pages of each sort and limit that are asked for in each set. */
const PAGES_MAX = 9;
/** A row beside a page that cannot be read with it is read once in this time. */
const LOOK_MS = 61_000;

/** The pages to ask for: all, or the first, the last and some between. */
function pagesOf(total: number, limit: number, seed: number): readonly number[] {
  const last = Math.ceil(total / limit);
  if (last <= PAGES_MAX) return Array.from({ length: last }, (_, n) => n + 1);
  return [1, last, ...Array.from({ length: PAGES_MAX - 2 }, (_, n) => 2 + drawn(seed + n * 17, last - 2))];
}

type Wrong = { readonly path: string; readonly expected: string; readonly actual: string };
type Asked = { asked: number; errors: number; readonly wrong: Wrong[] };

/** Asks for pages of every sort. */
async function askSorts(
  stack: Stack,
  records: readonly ModelRecord[],
  seed: number,
  into: Asked,
): Promise<void> {
  for (const [index, sort] of SORTS.entries())
    for (const limit of LIMITS)
      for (const page of pagesOf(records.length, limit, seed * 97 + index * 11 + limit)) {
        const parameters = { sort, limit: String(limit), page: String(page) };
        const path = `/v1/users?${new URLSearchParams(parameters).toString()}`;
        const answer = await stack.get(path);
        const actual = await answer.text();
        const model = modelList('users', records, parameters);
        const expected = model.status === 200 ? modelBody('users', model) : '';
        into.asked += 1;
        if (answer.status >= 500) into.errors += 1;
        else if (actual !== expected) into.wrong.push({ path, expected, actual });
      }
}

/** The draft of a service, before its rows tie. */
async function draftOf(
  { origin }: TiedService,
  { path }: TiedDialect,
): Promise<{ text: string; sorts: number }> {
  const { code, out, err } = await runInfer([
    origin + path,
    '--resource',
    'users',
    '--name',
    'draft',
    '--json',
  ]);
  if (code !== 0) throw new Error(`portico infer ended with ${code}: ${err}`);
  const { draft } = JSON.parse(out) as { draft: string };
  return {
    text: draft,
    sorts: ['name', 'email', 'created_at'].filter((field) => draft.includes(`${field}: { column`)).length,
  };
}

async function runTies(dialect: TiedDialect, way: TieOrder, { infer }: RowOptions): Promise<Outcome> {
  const started = performance.now();
  const name = nameOf(dialect, way);
  if (!infer) return emptyOutcome(name);
  const service = await startTiedService(dialect, way, untiedRows);
  const { text, sorts } = await draftOf(service, dialect);
  const folder = writeConfig({ traits: { resource: 'users' } }, text);
  const stack = await startStack({ configFile: join(folder, 'portico.yaml'), upstream: service.origin });
  const early: Asked = { asked: 0, errors: 0, wrong: [] };
  const asked: Asked = { asked: 0, errors: 0, wrong: [] };
  try {
    const purge = async () => {
      const { status } = await fetch(`${stack.adminUrl}/api/cache/purge?tag=*`, { method: 'POST' });
      if (status !== 200) throw new Error(`the purge was answered ${status}`);
    };
    await askSorts(stack, untiedRows, 0, asked);
    for (const [index, records] of tiedSets.entries()) {
      service.records = records;
      await purge();
      await askSorts(stack, records, index + 1, dialect.isFixed === true ? early : asked);
    }
    if (dialect.isFixed === true) {
      await sleep(LOOK_MS);
      await purge();
      await askSorts(stack, service.records, 1, asked);
    }
    const contradicted = stack.log.filter((line) => line.includes('"capability":"')).length;
    return {
      name,
      head: `${sorts} sorts, asked ${asked.asked + early.asked}, wrong ${asked.wrong.length}, wrong before the first look ${early.wrong.length}, errors ${asked.errors + early.errors}`,
      failures: [
        ...(asked.wrong.length > 0 ? [`${asked.wrong.length} wrong answers`] : []),
        ...(contradicted > 0 ? ['a claim was called contradicted: ties are none'] : []),
        ...(sorts === 0 ? ['the draft has no sort: the row shows nothing'] : []),
        ...(asked.errors > 0 ? [`${asked.errors} errors`] : []),
      ],
      details: wrongLines(asked.wrong),
      figures: {
        asked: asked.asked + early.asked,
        wrong: asked.wrong.length,
        isFlagged: false,
        isContradicted: contradicted > 0,
      },
      seconds: (performance.now() - started) / 1_000,
    };
  } finally {
    await stack.close();
    await service.close();
    rmSync(folder, { recursive: true });
  }
}

const emptyOutcome = (name: string): Outcome => ({
  ...{ name, head: 'not tried without a draft', failures: [], details: [], seconds: 0 },
  figures: { asked: 0, wrong: 0, isFlagged: false, isContradicted: false },
});

const nameOf = ({ name }: TiedDialect, way: TieOrder) => `ties: ${name}, ordered ${way}`;

const WAYS: readonly TieOrder[] = [
  'anew for each limit and offset',
  'as text',
  'by descending id',
  'as stored',
];

/** Services of each dialect whose rows begin to tie behind a draft. */
export const tieRows: readonly TableRow[] = tiedDialects.flatMap((dialect) =>
  WAYS.map((way) => ({ name: nameOf(dialect, way), run: runTies.bind(undefined, dialect, way) })),
);
