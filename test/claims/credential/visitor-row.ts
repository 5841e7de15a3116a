import { parse, stringify } from 'yaml';
import { eventually } from '../../support/time/eventually.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Diagnosis } from '../../../src/workbench/doctor/diagnose.ts';
import { runCommand } from '../../support/command/run-command.ts';
import { draftFile } from '../harness/examine.ts';
import { SERVICE_KEY } from '../harness/start-service.ts';
import { inventQuestions, type Question } from '../harness/questions.ts';
import type { Outcome, RowOptions, TableRow } from '../harness/row.ts';
import { type Answers, serveSource, type ServedSource } from '../harness/serve-source.ts';
import { sourceText } from '../harness/source-file.ts';
import { shapes, type Traits } from '../harness/traits.ts';
import { startVisitorService, type VisitorService, type VisitorSpec } from './visitor-service.ts';
import { wrongLines } from '../harness/describe-outcome.ts';

type Tree = Record<string, unknown>;

/** A service whose credential dies, or that only looks so. */
export type VisitorCase = VisitorSpec & {
  readonly name: string;
  /** `auth.proof` of the file; `draft`: the file is that of `infer`. */
  readonly proof: Tree | 'draft' | undefined;
  /** What comes to pass between two rounds of questions. */
  readonly happens:
    'dies' | 'dies and is renewed' | 'rows go' | 'page fails' | 'page hangs' | 'page goes' | 'nothing';
  /** What is asked first behind that. Default: the list. */
  readonly first?: 'record' | undefined;
  /** What doctor must say of the file; default: no difference. */
  readonly doctorSays?: RegExp;
  /** What doctor must not say. */
  readonly doctorHides?: RegExp;
};

/** Whether the service goes on to know the credential, so that there is no reason for an error. */
const isCorrect = ({ happens }: VisitorCase) =>
  happens !== 'dies' && happens !== 'page goes' && happens !== 'dies and is renewed';

function authOf({ auth, proof }: VisitorCase, origin: string): Tree {
  const proven = proof === undefined || proof === 'draft' ? {} : { proof };
  if (auth === 'header') return { kind: 'header', name: 'X-Key', value: SERVICE_KEY, ...proven };
  if (auth === 'query') return { kind: 'query', name: 'api_key', value: SERVICE_KEY, ...proven };
  if (auth === 'session')
    return { kind: 'session', login: { path: '/login', json: {} }, token: 'access_token', ...proven };
  return { kind: 'oauth2', tokenUrl: `${origin}/login`, clientId: 'a', clientSecret: 'b', ...proven };
}

async function fileOf(one: VisitorCase, { origin, whole }: VisitorService): Promise<string> {
  if (one.proof === 'draft') {
    const store = { ...whole.store, traits: { ...whole.store.traits, key: true } };
    const drafted = await draftFile({ ...whole, store, origin });
    if ('refused' in drafted) throw new Error(`infer drafts nothing: ${drafted.refused}`);
    return drafted.text;
  }
  const file = parse(sourceText(shapes[one.shape], origin)) as Tree;
  return stringify({ ...file, auth: authOf(one, origin) });
}

/** What doctor says differs, with its hints. */
async function examine(text: string): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-claims-'));
  const file = join(folder, 'draft.yaml');
  writeFileSync(file, text);
  try {
    const { out, err } = await runCommand(['doctor', '--source', file, '--json']);
    if (out === '') throw new Error(err);
    const findings = (JSON.parse(out) as Diagnosis).resources.flatMap((resource) => resource.findings);
    const differing = findings.filter(({ verdict }) => verdict === 'differs');
    return differing.map(({ probe, observed, hint }) => `${probe}: ${observed} -> ${hint ?? ''}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Pages of the whole list that nobody has asked for, so that they are read. */
const freshPages = (round: number): readonly Question[] =>
  [3, 4].map((page) => ({ list: { limit: String(6 + round), page: String(page) } }));

function happen({ happens }: VisitorCase, service: VisitorService): void {
  if (happens === 'dies') service.kill(true);
  if (happens === 'dies and is renewed') service.kill(false);
  if (happens === 'rows go' || happens === 'page goes')
    service.whole.write(service.whole.store.records.filter((_, n) => n % 30 !== 7));
  if (happens === 'page fails') service.turnPage(500);
  if (happens === 'page hangs') service.turnPage('slow');
  if (happens === 'page goes') service.turnPage('gone');
}

/** Whether pages come from rows that were read before. */
const isScanned = ({ window, total }: Traits) => total === 'none' || !['offset', 'page'].includes(window);

/** Asks before and behind what happens, and once the service knows the credential again. */
async function askAround(
  one: VisitorCase,
  service: VisitorService,
  served: ServedSource,
  { seed, queries }: RowOptions,
): Promise<{ readonly rounds: readonly Answers[]; readonly hasHealed: boolean }> {
  const { traits, records } = service.whole.store;
  const invent = (more: number) =>
    inventQuestions(traits, records, { seed: seed + more, count: Math.ceil(queries / 4), changed: [] });
  const before = await served.ask(invent(0));
  happen(one, service);
  // Answers and scans may be as old as the cache lets them be.
  if (one.happens === 'rows go' || one.happens === 'page goes' || isScanned(traits)) await served.purge();
  const isUsers = traits.resource === 'users';
  const ids = records.filter((_, n) => isUsers && n % 12 === 5).map(({ record }) => record.id);
  const record: readonly Question[] = ids.slice(0, 3).map((id) => ({ id }));
  const first = await served.ask(one.first === 'record' ? record : freshPages(1));
  const rest = await served.ask([...freshPages(2), ...invent(1), ...record, ...invent(0)]);
  const rounds = [before, first, rest];
  if (one.happens !== 'dies') return { rounds, hasHealed: true };
  service.revive();
  const hasHealed = await eventually(
    async () => {
      const answers = await served.ask(freshPages(3));
      return answers.errors.size === 0 && answers.wrong.length === 0;
    },
    { withinMs: 20_000, everyMs: 250 },
  ).catch(() => false);
  rounds.push(await served.ask(invent(0)));
  return { rounds, hasHealed };
}

function failuresOf(
  one: VisitorCase,
  differs: readonly string[],
  text: string,
  { rounds, hasHealed }: Awaited<ReturnType<typeof askAround>>,
  logins: number,
): readonly string[] {
  const said = differs.join('\n');
  const wrong = rounds.reduce((sum, answers) => sum + answers.wrong.length, 0);
  // Behind a file that doctor warns of, nothing can be expected.
  const calm = one.doctorSays === undefined ? rounds.slice(0, isCorrect(one) ? undefined : 1) : [];
  const errors = new Map(calm.flatMap(({ errors: all }) => [...all]));
  const [, , last] = rounds;
  return [
    ...(one.doctorSays === undefined ? differs.map((line) => `doctor says ${line}`) : []),
    ...(one.doctorSays?.test(said) === false ? [`doctor does not say ${one.doctorSays}: ${said}`] : []),
    ...(one.doctorHides?.test(said) === true ? [`doctor says ${one.doctorHides}`] : []),
    ...(wrong > 0 && one.doctorSays === undefined ? [`${wrong} wrong answers`] : []),
    ...[...errors].map(([code, { times, path, log }]) => `${times} ${code}, such as ${path}: ${log}`),
    ...(one.proof === 'draft' && one.sees === 'refused' && text.includes('proof:')
      ? ['a needless proof']
      : []),
    // Nobody can tell a page that is gone from one that is hidden from visitors.
    ...(one.happens === 'page goes' && rounds[1]?.errors.size === 0 ? ['answers without a proof'] : []),
    ...(hasHealed ? [] : ['no answer although the service knows the credential again']),
    ...(one.happens === 'dies and is renewed' && last !== undefined && last.errors.size > 0
      ? [...last.errors].map(([code, { log }]) => `after the renewal: ${code}: ${log}`)
      : []),
    ...(logins > 4 ? [`${logins} logins`] : []),
  ];
}

async function runCase(one: VisitorCase, options: RowOptions): Promise<Outcome> {
  const started = performance.now();
  const service = await startVisitorService(one);
  try {
    const text = await fileOf(one, service);
    const doctor = await examine(text);
    const loginsBefore = service.logins;
    const served = await serveSource(service.whole.store, service.origin, text);
    try {
      const asked = await askAround(one, service, served, options);
      const failures = failuresOf(one, doctor, text, asked, service.logins - loginsBefore);
      const { rounds } = asked;
      const wrong = rounds.flatMap((answers) => answers.wrong);
      return {
        name: one.name,
        head: `wrong ${wrong.length}, errors ${rounds.map(({ errors }) => errors.size).join(' ')}, logins ${service.logins}`,
        failures,
        details: [
          ...wrongLines(wrong),
          ...rounds.flatMap(({ errors }) => [...errors].map(([code, { log }]) => `${code}: ${log}`)),
          ...doctor,
          ...text.split('\n').filter((line) => /auth|proof|at:|path:|header:|equals/.test(line)),
        ],
        figures: {
          asked: rounds.reduce((sum, answers) => sum + answers.asked, 0),
          wrong: wrong.length,
          isFlagged: doctor.length > 0,
          isContradicted: rounds.some(({ contradicted }) => contradicted.length > 0),
        },
        seconds: (performance.now() - started) / 1_000,
      };
    } finally {
      await served.close();
    }
  } finally {
    await service.close();
  }
}

/** The row of a case. */
export function visitorRow(one: VisitorCase): TableRow {
  return { name: one.name, run: (options) => runCase(one, options) };
}
