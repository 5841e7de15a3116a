import type { ResourceName } from '../../support/reference.ts';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type DraftReport, runInfer } from '../../support/dialects/infer-draft.ts';
import { serve } from '../../support/dialects/serve.ts';
import { type Stack, startStack } from '../../support/gateway/stack.ts';
import { modelBody, modelList, type ModelRecord } from '../../support/model/contract-model.ts';
import { eventually } from '../../support/time/eventually.ts';
import type {
  HttpReply,
  ScriptedUpstream,
  UpstreamRequest,
} from '../../support/upstream/scripted-upstream.ts';
import { passMinutes } from '../bets/virtual-minutes.ts';
import { examineFile } from '../harness/examine.ts';
import type { Outcome, TableRow } from '../harness/row.ts';
import { writeConfig } from '../harness/serve-source.ts';

/** A service at work. */
export type VariantService = {
  /** What v1 must have of it now. */
  readonly records: () => readonly ModelRecord[];
  readonly reply: (request: UpstreamRequest) => HttpReply;
  /** What comes to pass behind the first answers. */
  readonly change?: () => void;
};

/** A service that breaks a promise in a way of its own, or a correct one of the same shape. */
export type Variant = {
  readonly name: string;
  readonly resource: ResourceName;
  readonly start: () => VariantService;
  /** The source file for the address of the service; absent: the draft of `infer`. */
  readonly file?: (origin: string) => string;
  /** Parameters of lists, or ids behind a slash. */
  readonly asks: readonly string[];
  /** Whether answers need not be right before the first look. */
  readonly isLate?: boolean;
};

type Wrong = { path: string; expected: string; actual: string; isLate: boolean };
type Round = { asked: number; wrong: Wrong[]; errors: string[]; contradicted: readonly string[] };

const PROFILE = { bio: null, location: null, avatar_url: null };

function expectedOf(resource: Variant['resource'], records: readonly ModelRecord[], ask: string) {
  if (ask.startsWith('/')) {
    const found = records.find(({ id }) => `/${id}` === ask);
    return found === undefined ? '404' : `200 ${JSON.stringify({ data: { ...found, profile: PROFILE } })}`;
  }
  const page = modelList(resource, records, Object.fromEntries(new URLSearchParams(ask)));
  if (page.status !== 200) throw new Error(`the question is not one of the contract: ${page.parameter}`);
  return `200 ${modelBody(resource, page)}`;
}

/** Whether an answer rests on a claim. */
function restsOn(ask: string, claim: string): boolean {
  const [part, field = '', operator = ''] = claim.split('.');
  if (ask.startsWith('/')) return part === 'get';
  if (part === 'sort') return ask.includes(field === 'id' ? 'limit' : `${field}&`);
  if (part !== 'filter') return true;
  return ask.includes({ eq: field, ge: 'min_', le: 'max_' }[operator] ?? field);
}

async function askAll({ resource, asks }: Variant, service: VariantService, stack: Stack): Promise<Round> {
  const disabled = () =>
    stack.log.flatMap((line) => (JSON.parse(line) as { capability?: string }).capability ?? []);
  const round: Round = { asked: asks.length, wrong: [], errors: [], contradicted: [] };
  for (const ask of asks) {
    const path = `/v1/${resource}${ask.startsWith('/') ? '' : '?'}${ask}`;
    const isLate = disabled().some((claim) => restsOn(ask, claim));
    const answer = await stack.get(path);
    const body = await answer.text();
    const expected = expectedOf(resource, service.records(), ask);
    const actual = answer.status === 404 ? '404' : `${answer.status} ${body}`;
    const id = answer.headers.get('x-request-id');
    if (answer.status >= 500)
      round.errors.push(`GET ${path}: ${body} ${stack.log.findLast((line) => line.includes(String(id)))}`);
    else if (actual !== expected) round.wrong.push({ path, expected, actual, isLate });
  }
  return { ...round, contradicted: disabled() };
}

/** Waits until nobody has asked the service for a while: looks go out behind an answer. */
async function settle(upstream: ScriptedUpstream): Promise<void> {
  let [calls, quiet] = [-1, 0];
  await eventually(
    () => {
      quiet = upstream.calls === calls ? quiet + 1 : 0;
      calls = upstream.calls;
      return quiet > 4;
    },
    { everyMs: 10 },
  );
}

async function fileOf({ file, resource }: Variant, origin: string): Promise<{ text: string; edits: number }> {
  if (file !== undefined) return { text: file(origin), edits: 0 };
  const what = [`${origin}/${resource}`, '--resource', resource, '--name', 'draft', '--json'];
  const { code, out, err } = await runInfer(what);
  if (code !== 0) throw new Error(`infer drafts nothing: ${err}`);
  const { draft, guesses } = JSON.parse(out) as DraftReport;
  // The offer of an order that nobody has asked for is no doubt about the draft.
  const doubts = guesses.filter(({ path, confidence }) => confidence === 'edit' && !path.endsWith('.order'));
  return { text: draft, edits: doubts.length };
}

/** Answers before and behind the change, and after the first look. */
async function askAround(one: Variant, service: VariantService, stack: Stack, upstream: ScriptedUpstream) {
  const purge = () => fetch(`${stack.adminUrl}/api/cache/purge?tag=*`, { method: 'POST' });
  const rounds = [await askAll(one, service, stack)];
  service.change?.();
  await purge();
  const early = await askAll(one, service, stack);
  await purge();
  passMinutes(1.1);
  const looked = await askAll(one, service, stack);
  await settle(upstream);
  const wrong = one.isLate === true ? [] : [...early.wrong, ...looked.wrong];
  rounds.push({ ...early, wrong }, { ...looked, wrong: [] }, await askAll(one, service, stack));
  return rounds;
}

async function runVariant(one: Variant): Promise<Outcome> {
  const started = Date.now();
  const service = one.start();
  const upstream = await serve(service.reply, { open: true });
  const { text, edits } = await fileOf(one, upstream.origin);
  const { differs, bets } = await examineFile(text);
  const folder = writeConfig({ traits: one }, text);
  const stack = await startStack({ configFile: join(folder, 'portico.yaml'), upstream: upstream.origin });
  try {
    const rounds = await askAround(one, service, stack, upstream);
    const [wrong, errors] = [rounds.flatMap((round) => round.wrong), rounds.flatMap((round) => round.errors)];
    const contradicted = rounds.at(-1)?.contradicted ?? [];
    const told = [...differs, ...bets];
    const late = wrong.filter(({ isLate }) => isLate);
    const isCorrect = one.name.includes('correct');
    return {
      name: one.name,
      head: `edits ${edits}, doctor ${told.length}, wrong ${rounds.map((round) => round.wrong.length).join(' ')}, errors ${errors.length}, contradicted ${contradicted.join(' ')}`,
      failures: [
        ...(wrong.length > 0 && told.length + edits === 0
          ? [`${wrong.length} wrong behind a clean file`]
          : []),
        ...(late.length > 0 ? [`${late.length} wrong after a contradiction`] : []),
        ...(isCorrect ? [...told, ...errors.slice(0, 2), ...contradicted] : []),
        ...(isCorrect && wrong.length + edits > 0 ? [`${wrong.length} wrong, ${edits} edits`] : []),
      ],
      details: [
        ...told,
        ...errors.slice(0, 2),
        ...wrong
          .slice(0, 2)
          .flatMap(({ path, expected, actual }) => [path, expected.slice(0, 400), actual.slice(0, 400)]),
      ],
      figures: {
        ...{ asked: rounds.reduce((sum, { asked }) => sum + asked, 0), wrong: wrong.length },
        ...{ isFlagged: told.length + edits > 0, isContradicted: contradicted.length > 0 },
      },
      seconds: (Date.now() - started) / 1_000,
    };
  } finally {
    await stack.close();
    await upstream.close();
    rmSync(folder, { recursive: true });
  }
}

/** The rows of the table. */
export const variantRowsOf = (variants: readonly Variant[]): readonly TableRow[] =>
  variants.map((one) => ({ name: one.name, run: () => runVariant(one) }));
