import { startGateway } from '../../support/gateway/start-gateway.ts';
import type { Asked, Question } from '../generate/questions.ts';
import { type Random, randomOf } from '../generate/random.ts';
import { countedAs, type Counts, createCounts } from '../harness/counts.ts';
import { compareAnswer } from '../harness/random-cases.ts';
import { readModels } from '../oracle/model.ts';
import { type Wanted, wantedList, wantedSingle } from '../oracle/oracle.ts';
import type { ServiceCase } from './case.ts';
import { orders } from './feathers/orders.ts';
import { tickets } from './jsonapi-server/tickets.ts';
import { posts } from './pouchdb-server/posts.ts';
import { serviceQuestions } from './questions.ts';
import { type CaseDraft, draftCase, serveDraft } from './draft-case.ts';
import { fileOf, type RunningCase, startCase, versionOf } from './serve-case.ts';

/** What came of a server: lines for people, and what is wrong. */
export type CaseResult = {
  readonly asked: number;
  readonly lines: readonly string[];
  readonly wrong: readonly string[];
};

const CASES = [orders, tickets, posts];
const WRITES = 50;
/** Questions before the writes, and as many after them. */
const QUESTIONS = 300;

const wantedFor = ({ model, rows }: Asked, { query, id }: Question): Wanted => {
  const records = rows.map(({ truth }) => truth);
  return id === undefined ? wantedList(model, records, query) : wantedSingle(model, records, id);
};

/** A gateway that keeps answers and scans for an hour; writes go through it, and purge what they change. */
function startFor(one: ServiceCase, { url }: RunningCase) {
  const names = Object.keys(one.resources);
  const entry = '{ source: SOURCE, public: true, cache: { fresh: 1h, notFound: 1h } }';
  const source = fileOf(one, 'source.yaml');
  const name = /^name: (.*)$/m.exec(source)?.[1] ?? '';
  const methods = '[GET, POST, PUT, PATCH, DELETE]';
  return startGateway({
    contract: fileOf(one, 'contract.yaml'),
    sources: { 'source.yaml': source },
    variables: { UPSTREAM_URL: url },
    config: `resources: { ${names.map((each) => `${each}: ${entry.replace('SOURCE', name)}`).join(', ')} }
passthrough:
  - { name: own, path: /own, stripPath: true, methods: ${methods}, upstream: '${url}', permission: null, purges: [${names.join(', ')}] }
`,
  });
}

type Questions = readonly (readonly [Asked, Question])[];

/** What came of some questions. */
type Answers = { readonly statuses: readonly number[]; readonly wrong: readonly string[] };

/** Asks questions, and counts what they asked for. */
async function ask(gateway: string, questions: Questions, counts: Counts): Promise<Answers> {
  const wrong: string[] = [];
  const statuses: number[] = [];
  for (const [asked, question] of questions) {
    const wanted = wantedFor(asked, question);
    const difference = await compareAnswer(gateway, question.target, wanted);
    if (difference !== undefined) wrong.push(difference);
    statuses.push(wanted.status);
    if (wanted.status !== 200) continue;
    const kindOf = (field: string) => countedAs(asked.model.item.find(({ name }) => name === field)!);
    const seen = { isPushed: false, hasNulls: false };
    for (const { field, is } of question.filters) counts.filter(kindOf(field), is, seen);
    const { sort } = question;
    if (sort !== undefined) counts.sort(kindOf(sort.replace('-', '')), sort.startsWith('-'), seen);
  }
  return { statuses, wrong };
}

/** What came of all phases so far. */
type Tally = { readonly statuses: number[]; readonly wrong: string[]; readonly notes: string[] };

/** Asks by the source file of the case. */
async function askFile(gateway: string, questions: Questions, counts: Counts, { statuses, wrong }: Tally) {
  const answers = await ask(gateway, questions, counts);
  statuses.push(...answers.statuses);
  wrong.push(...answers.wrong);
}

/** Asks by what `portico infer` has drafted; single records are compared field by field alone. */
function askByDraft(
  one: ServiceCase,
  draft: CaseDraft,
  resources: readonly Asked[],
  random: Random,
  { notes, wrong }: Tally,
): Promise<void> {
  return serveDraft(one, draft, resources, async (url, { right, questions, wrong: fields, served }) => {
    const counts = createCounts();
    const all = serviceQuestions(random, served, 0, counts);
    const lists = all.filter(
      ([asked, question]) => question.id === undefined || wantedFor(asked, question).status === 404,
    );
    const answers = await ask(url, lists, counts);
    wrong.push(...[...fields, ...answers.wrong].map((text) => `by the draft: ${text}`));
    const head = `${right.length} fields right, ${questions.length} questions, ${fields.length} wrong`;
    notes.push(`${head}; ${lists.length} answers, ${answers.wrong.length} wrong`);
  });
}

async function askBeforeAndAfter(
  one: ServiceCase,
  service: RunningCase,
  gateway: string,
  random: Random,
): Promise<CaseResult> {
  const contract = fileOf(one, 'contract.yaml');
  const models = readModels(contract);
  const draft = await draftCase(one, contract.replaceAll(', required: true', ''), service.url);
  const counts = createCounts();
  const tally: Tally = { statuses: [], wrong: [], notes: [] };
  const records: string[] = [];
  for (const when of ['before', 'after']) {
    if (when === 'after') await service.write(`${gateway}/own`, random, WRITES);
    const resources = await service.read(models);
    await askFile(gateway, serviceQuestions(random, resources, QUESTIONS, counts), counts, tally);
    const drafted = await service.read(readModels(draft.contract));
    await askByDraft(one, draft, drafted, random, tally);
    records.push(resources.map(({ model, rows }) => `${rows.length} ${model.name}`).join(', '));
  }
  const { statuses, wrong, notes } = tally;
  const many = (status: number) => statuses.filter((each) => each === status).length;
  const kinds = `${many(200)} found, ${many(400)} refused, ${many(404)} of no record`;
  const name = versionOf(one);
  const file = wrong.filter((text) => !text.startsWith('by the draft')).length;
  const lines = [
    `${name}: ${statuses.length} answers, ${file} wrong (${kinds}; ${counts.seen()} pairs of a kind and a filter or an order; ${records.join(', then ')})`,
    ...notes.map(
      (note, index) => `${name}, drafted by infer, ${index === 0 ? 'before' : 'after'} writes: ${note}`,
    ),
  ];
  return { asked: statuses.length, lines, wrong: wrong.map((text) => `${one.server}: ${text}`) };
}

async function runCase(one: ServiceCase, random: Random): Promise<CaseResult> {
  const service = await startCase(one, random);
  try {
    const gateway = await startFor(one, service);
    try {
      return await askBeforeAndAfter(one, service, gateway.url, random);
    } finally {
      await gateway.close();
    }
  } finally {
    await service.close();
  }
}

/** Asks three servers of the npm registry, which have resources of their own, before and after writes. */
export async function runServiceCases(seed: number): Promise<readonly CaseResult[]> {
  const results: CaseResult[] = [];
  for (const one of CASES) results.push(await runCase(one, randomOf(seed)));
  return results;
}
