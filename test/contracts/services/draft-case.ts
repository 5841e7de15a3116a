import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../../support/command/run-command.ts';
import { startGateway } from '../../support/gateway/start-gateway.ts';
import type { Asked } from '../generate/questions.ts';
import type { Leaf } from '../oracle/model.ts';
import type { Truth } from '../oracle/oracle.ts';
import { type Element, jsonOf, type Scalar, type Shown } from '../oracle/values.ts';
import type { ServiceCase } from './case.ts';

/** What `portico infer` drafts for a case, and what it asks the operator: the paths of its questions. */
export type CaseDraft = {
  readonly contract: string;
  readonly text: string;
  readonly questions: ReadonlySet<string>;
};

type Guess = { readonly path: string; readonly confidence: string };
type Report = {
  readonly draft: string;
  readonly resources: readonly { readonly guesses: readonly Guess[] }[];
};

/** Runs `portico infer` once for all resources of a case, beside its contract. */
export async function draftCase(one: ServiceCase, contract: string, url: string): Promise<CaseDraft> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-contracts-'));
  try {
    mkdirSync(join(folder, 'sources'));
    writeFileSync(join(folder, 'contract.yaml'), contract);
    const lists = Object.entries(one.resources).flatMap(([name, { list, inferred = list }]) => [
      ...['--resource', `${name}=${url}${inferred}`],
    ]);
    const config = ['-c', join(folder, 'portico.yaml')];
    const { code, out, err } = await runCommand([...config, 'infer', ...lists, '--name', 'draft', '--json']);
    if (code !== 0) throw new Error(`portico infer ended with ${code}: ${err}`);
    const { draft, resources } = JSON.parse(out) as Report;
    const guesses = resources.flatMap((each) => each.guesses);
    const open = guesses.filter(({ confidence }) => confidence === 'edit');
    return { contract, text: draft, questions: new Set(open.map(({ path }) => path)) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** How the fields of a draft fare: by their names, with their view. */
export type FieldsTried = {
  readonly right: readonly string[];
  readonly questions: readonly string[];
  readonly wrong: readonly string[];
  /** The resources as the draft has them: a field that is a question has what is served. */
  readonly served: readonly Asked[];
};

/** Part of an answer's JSON. */
type Tree = { readonly [key: string]: unknown };

const valueOf = (record: Tree | undefined, { path }: Leaf): unknown =>
  path.reduce<unknown>((at, key) => (at as Tree | undefined)?.[key], record) ?? null;

const wantedOf = (truth: Truth, leaf: Leaf): unknown => JSON.parse(jsonOf(leaf, truth[leaf.name] ?? null));

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** What is served as the oracle has it: a text as it is, a number or a boolean as JSON, a list by its elements. */
const scalarOf = (value: unknown): Scalar =>
  value === null || typeof value === 'string' ? value : JSON.stringify(value);

function elementOf(element: string | number | boolean | Tree): Element {
  if (typeof element !== 'object') return String(element);
  return Object.fromEntries(Object.entries(element).map(([name, value]) => [name, scalarOf(value)]));
}

const shownOf = (value: unknown): Shown => (Array.isArray(value) ? value.map(elementOf) : scalarOf(value));

async function dataOf(url: string): Promise<unknown> {
  const answer = await fetch(url);
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`GET ${url} is answered ${answer.status} ${text}`);
  return (JSON.parse(text) as { data: unknown }).data;
}

async function listOf(url: string, { model, rows }: Asked): Promise<readonly Tree[]> {
  const pages = Math.ceil(rows.length / model.pages.max);
  const all: Tree[] = [];
  for (let page = 1; page <= pages; page += 1)
    all.push(
      ...((await dataOf(`${url}${model.path}?limit=${model.pages.max}&page=${page}`)) as readonly Tree[]),
    );
  return all;
}

const SINGLES = 20;

/** Holds each field of both views against the truth, over all records of the list and some single ones. */
async function tryFields(
  url: string,
  { questions }: CaseDraft,
  asked: Asked,
): Promise<Omit<FieldsTried, 'served'> & { readonly served: Asked }> {
  const { model, rows } = asked;
  const list = await listOf(url, asked);
  const singles = rows.slice(0, SINGLES);
  const single: Tree[] = [];
  for (const { truth } of singles) single.push((await dataOf(`${url}${model.path}/${truth.id}`)) as Tree);
  const tried = { right: [] as string[], questions: [] as string[], wrong: [] as string[] };
  const views = [
    { view: 'list', leaves: model.item, records: list, rows },
    { view: 'get', leaves: model.single ?? [], records: single, rows: singles },
  ];
  for (const { view, leaves, records, rows: own } of views) {
    const byId = new Map(records.map((record) => [record['id'], record]));
    for (const leaf of leaves) {
      const name = `${model.name}.${view}.${leaf.name}`;
      // An id is found by itself alone.
      const other = own.find(
        ({ truth }) => !isSame(valueOf(byId.get(truth.id), leaf), wantedOf(truth, leaf)),
      );
      // What the list asks holds for its single records, too.
      const places = [view, 'list'].map((each) => `resources.${model.name}.${each}.map.${leaf.name}`);
      if (other === undefined) tried.right.push(name);
      else if (places.some((place) => questions.has(place))) tried.questions.push(name);
      else
        tried.wrong.push(
          `${name} of ${other.truth.id} is ${JSON.stringify(valueOf(byId.get(other.truth.id), leaf))}, not ${JSON.stringify(wantedOf(other.truth, leaf))}`,
        );
    }
  }
  const shown = new Map(list.map((record) => [record['id'], record]));
  const open = model.item.filter(({ name }) => tried.questions.includes(`${model.name}.list.${name}`));
  const served = rows.map(({ truth }) => ({
    truth: {
      ...truth,
      ...Object.fromEntries(open.map((leaf) => [leaf.name, shownOf(valueOf(shown.get(truth.id), leaf))])),
    },
  }));
  return { ...tried, served: { model, rows: served } };
}

/** The resources with the ids that the draft gives to records. */
function withDraftIds({ draftId = (id) => id }: ServiceCase, { model, rows }: Asked): Asked {
  const names = (model.single ?? model.item)
    .filter(({ kind }) => kind === 'id' || kind === 'reference')
    .map(({ name }) => name);
  const changed = (truth: Truth) =>
    names.flatMap((name) => {
      const id = truth[name];
      return typeof id === 'string' ? [[name, draftId(id)] as const] : [];
    });
  return {
    model,
    rows: rows.map(({ truth }) => ({ truth: { ...truth, ...Object.fromEntries(changed(truth)) } })),
  };
}

/** Serves a draft as it is, tries its fields, and asks what it is to be asked. */
export async function serveDraft<T>(
  one: ServiceCase,
  draft: CaseDraft,
  resources: readonly Asked[],
  use: (url: string, tried: FieldsTried) => Promise<T>,
): Promise<T> {
  const gateway = await startGateway({ contract: draft.contract, sources: { 'draft.yaml': draft.text } });
  try {
    const all = [];
    for (const asked of resources) all.push(await tryFields(gateway.url, draft, withDraftIds(one, asked)));
    const tried: FieldsTried = {
      right: all.flatMap((each) => each.right),
      questions: all.flatMap((each) => each.questions),
      wrong: all.flatMap((each) => each.wrong),
      served: all.map((each) => each.served),
    };
    return await use(gateway.url, tried);
  } finally {
    await gateway.close();
  }
}
