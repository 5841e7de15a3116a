/**
 * `npm run test:contracts`: random contracts in front of random sources, every answer compared byte for byte with what an
 * oracle makes of the same file by itself; contracts with a mistake, which are refused with line and hint, or served; and
 * three servers from the npm registry with resources of their own, known from files alone, before and after writes. It
 * prints its seed, and how often each pair of a kind and a filter or an order was seen.
 *
 *   SEED=7 CONTRACTS=500 MUTATIONS=2000 npm run test:contracts
 */
import { env, exit, stdout } from 'node:process';
import { createCounts } from './harness/counts.ts';
import { runMutatedContracts } from './harness/mutated-cases.ts';
import { runRandomContracts } from './harness/random-cases.ts';
import { runServiceCases } from './services/run-cases.ts';

/** Each pair is to be seen so often, pushed, scanned and with unknown values. */
const SEEN_MIN = 20;
/** The part of the changed contracts that is still served. */
const SERVED_MIN = 0.3;

const seed = Number(env['SEED'] ?? 20_260_301);
const contracts = Number(env['CONTRACTS'] ?? 400);
const mutations = Number(env['MUTATIONS'] ?? 1_000);
const say = (text: string) => void stdout.write(`${text}\n`);

say(`seed ${seed}: ${contracts} random contracts, ${mutations} changed ones`);
const counts = createCounts();
const random = await runRandomContracts({ seed, contracts, questions: 25 }, counts);
counts.lines().forEach(say);
const rare = counts.rare(SEEN_MIN);
say(`${random.cases} answers; pairs seen less than ${SEEN_MIN} times: ${rare.join(', ') || 'none'}`);

const mutated = await runMutatedContracts({ seed, mutations }, createCounts());
say(`${mutated.cases} changed contracts: ${mutated.refused} refused, ${mutated.served} served`);
const isServedEnough = mutated.served >= mutated.cases * SERVED_MIN;
if (!isServedEnough) say(`less than ${SERVED_MIN * 100} % of them are served`);

const services = await runServiceCases(seed);
services.flatMap(({ lines }) => lines).forEach(say);

const wrong = [...random.wrong, ...mutated.wrong, ...services.flatMap((one) => one.wrong)];
wrong.forEach(say);
const all = random.cases + mutated.cases + services.reduce((sum, { asked }) => sum + asked, 0);
const failed = wrong.length + (isServedEnough ? 0 : 1);
say(`${all - wrong.length} passed, ${failed} failed`);
exit(failed === 0 ? 0 : 1);
