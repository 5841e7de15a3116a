import { stringify } from 'yaml';
import { startGateway } from '../../support/gateway/start-gateway.ts';
import { randomContract } from '../generate/contract.ts';
import { listQuestion, type Question, singleQuestion } from '../generate/questions.ts';
import { type Random, randomOf } from '../generate/random.ts';
import { OPERATORS, randomResource, type SourceResource } from '../generate/resource.ts';
import { parameterOf, sourceText } from '../generate/source.ts';
import { readModels } from '../oracle/model.ts';
import { failing, type Wanted, wantedList, wantedSingle } from '../oracle/oracle.ts';
import { countedAs, type Counts } from './counts.ts';
import { type Service, startService } from './serve.ts';

/** What came of many cases. */
export type Result = { readonly cases: number; readonly wrong: readonly string[] };

/** The sources of all resources of a contract. */
export function resourcesFor(random: Random, contract: string): ReadonlyMap<string, SourceResource> {
  const models = readModels(contract);
  const idKinds = new Map([...models.keys()].map((name) => [name, random.of(['number', 'text'] as const)]));
  return new Map([...models].map(([name, model]) => [name, randomResource(random, model, idKinds)]));
}

/** What is wrong with an answer; `undefined` if it is as wanted. */
export async function compareAnswer(
  url: string,
  target: string,
  wanted: Wanted,
): Promise<string | undefined> {
  const answer = await fetch(url + target);
  const body = await answer.text();
  const isRight =
    answer.status === wanted.status &&
    (wanted.status !== 200 || body === wanted.body) &&
    (wanted.status !== 400 || body.includes(`The parameter \\"${wanted.parameter}\\" must be`)) &&
    (wanted.status !== 404 || body.includes('"not_found"')) &&
    (wanted.status !== 502 || body.includes('"upstream_invalid_response"'));
  if (isRight) return undefined;
  return `${target}\n  wanted ${JSON.stringify(wanted)}\n  got ${answer.status} ${body}`;
}

/** What the contract has clients see for a question. */
export function wantedFor({ model, rows, fails }: SourceResource, { query, id }: Question): Wanted {
  const records = rows.map(({ truth }) => truth);
  const wanted = id === undefined ? wantedList(model, records, query) : wantedSingle(model, records, id);
  return fails ? failing(model, records, wanted, id) : wanted;
}

function count(
  counts: Counts,
  { model, rows }: SourceResource,
  question: Question,
  asked: ReadonlySet<string>,
): void {
  const hasNulls = (field: string) => rows.some(({ truth }) => (truth[field] ?? null) === null);
  const kindOf = (field: string) => countedAs(model.item.find(({ name }) => name === field)!);
  for (const { field, is } of question.filters) {
    const isPushed = asked.has(parameterOf(field, OPERATORS[is] ?? is));
    counts.filter(kindOf(field), is, { isPushed, hasNulls: hasNulls(field) });
  }
  if (question.sort === undefined) return;
  const field = question.sort.replace(/^-/, '');
  const seen = { isPushed: asked.has('by'), hasNulls: hasNulls(field) };
  counts.sort(kindOf(field), question.sort.startsWith('-'), seen);
}

async function runContract(
  service: Service,
  seed: number,
  questions: number,
  counts: Counts,
): Promise<Result> {
  const random = randomOf(seed);
  const contract = stringify(randomContract(random));
  const resources = resourcesFor(random, contract);
  const source = sourceText(resources.values(), service.origin);
  service.has(resources);
  const files = { contract, sources: { 'random.yaml': source } };
  const gateway = await startGateway(files).catch((error: unknown) => String(error));
  if (typeof gateway === 'string')
    return { cases: 1, wrong: [`seed ${seed}: ${gateway}\n${contract}\n${source}`] };
  const wrong: string[] = [];
  const all = [...resources.values()];
  for (let at = 0; at < questions; at += 1) {
    const resource = random.of(all);
    const asksOne = resource.model.single !== undefined && random.is(resource.model.hasList ? 0.12 : 0.9);
    const question = asksOne ? singleQuestion(random, resource) : listQuestion(random, resource, counts);
    service.asked();
    const wanted = wantedFor(resource, question);
    const difference = await compareAnswer(gateway.url, question.target, wanted);
    if (difference !== undefined) wrong.push(`seed ${seed}, question ${at}: ${difference}`);
    if (wanted.status === 200) count(counts, resource, question, service.asked());
  }
  await gateway.close();
  if (wrong.length > 0) wrong.push(`${wrong.pop()}\n${contract}\n${source}`);
  return { cases: questions, wrong };
}

/** Asks many questions of random contracts in front of random sources; contract `n` has the seed `seed + n`. */
export async function runRandomContracts(
  {
    seed,
    contracts,
    questions,
  }: { readonly seed: number; readonly contracts: number; readonly questions: number },
  counts: Counts,
): Promise<Result> {
  const service = await startService();
  const wrong: string[] = [];
  let cases = 0;
  for (let at = 0; at < contracts; at += 1) {
    const result = await runContract(service, seed + at, questions, counts);
    cases += result.cases;
    wrong.push(...result.wrong);
  }
  await service.close();
  return { cases, wrong };
}
