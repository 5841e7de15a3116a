import { loadTexts } from '../../support/gateway/config-texts.ts';
import { startGateway } from '../../support/gateway/start-gateway.ts';
import { randomContract } from '../generate/contract.ts';
import { listQuestion } from '../generate/questions.ts';
import { randomOf } from '../generate/random.ts';
import { sourceText } from '../generate/source.ts';
import type { Counts } from './counts.ts';
import { type Mutation, mutate } from './mutations.ts';
import { compareAnswer, resourcesFor, wantedFor } from './random-cases.ts';
import { type Service, startService } from './serve.ts';

/** What came of the changed contracts. */
export type MutatedResult = {
  readonly cases: number;
  readonly refused: number;
  readonly served: number;
  readonly wrong: readonly string[];
};

/** What is wrong with a refusal; `undefined` if it is none, empty if it teaches. */
function refusalOf(contract: string): string | undefined {
  const { config, problems } = loadTexts({ gateway: 'portico: 1\nresources: {}\n', contract, sources: {} });
  if (problems.length === 0)
    return config.gateway === undefined ? 'neither a contract nor a problem' : undefined;
  const poor = problems.filter(
    ({ file, line, message, hint }) =>
      file !== 'contract.yaml' || line === undefined || message === '' || (hint ?? '') === '',
  );
  return poor.map((problem) => JSON.stringify(problem)).join('\n');
}

/** Serves a contract in front of a source that fits, and asks for a list. Answers with what is wrong. */
async function serve(
  service: Service,
  { text }: Mutation,
  seed: number,
  counts: Counts,
): Promise<string | undefined> {
  const random = randomOf(seed);
  const resources = resourcesFor(random, text);
  const sources = { 'random.yaml': sourceText(resources.values(), service.origin) };
  service.has(resources);
  const gateway = await startGateway({ contract: text, sources });
  try {
    for (const resource of resources.values()) {
      const question = listQuestion(random, resource, counts);
      const plain = { ...question, target: resource.model.path, query: '' };
      for (const one of [plain, question]) {
        const difference = await compareAnswer(gateway.url, one.target, wantedFor(resource, one));
        if (difference !== undefined) return difference;
      }
    }
    return undefined;
  } finally {
    await gateway.close();
  }
}

/** Changes valid contracts: each is refused with its line and a hint, or served, and rightly. */
export async function runMutatedContracts(
  { seed, mutations }: { readonly seed: number; readonly mutations: number },
  counts: Counts,
): Promise<MutatedResult> {
  const service = await startService();
  const wrong: string[] = [];
  let [refused, served] = [0, 0];
  for (let at = 0; at < mutations; at += 1) {
    const random = randomOf(seed + at);
    const mutation = mutate(randomContract(random), random);
    const tell = (what: unknown) =>
      wrong.push(
        `seed ${seed + at}, ${mutation.name}: ${what instanceof Error ? what.stack : String(what)}\n${mutation.text}`,
      );
    try {
      const refusal = refusalOf(mutation.text);
      if (refusal === undefined) {
        served += 1;
        const difference = await serve(service, mutation, seed + at, counts);
        if (difference !== undefined) tell(difference);
      } else {
        refused += 1;
        if (refusal !== '') tell(refusal);
      }
    } catch (error) {
      tell(error);
    }
  }
  await service.close();
  return { cases: mutations, refused, served, wrong };
}
