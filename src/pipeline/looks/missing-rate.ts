import { tryParseJson } from '../../kernel/json/try-parse-json.ts';

/** How many of some records have no value of a field that can be read. */
export type MissingRate = { readonly records: number; readonly without: number };

/** Fewer records show nothing. */
const RECORDS_MIN = 50;
/** A smaller rise is no jump, however many records show it. */
const RISE_MIN = 0.1;
/** The likelihood ratio, as a logarithm, that a jump takes: chance brings it once in some ten million comparisons. */
const LIKELIHOOD_MIN = 15;

/** The rate as a number from 0 to 1. */
export const rateOf = ({ records, without }: MissingRate) => (records === 0 ? 0 : without / records);

/** The rate in a sentence, in percent. */
export const missingRateText = (rate: MissingRate) => `${Math.round(rateOf(rate) * 100)} %`;

/** How much better its own rate describes some records than another rate: `n` times the Kullback-Leibler divergence. */
function logLikelihood({ records, without }: MissingRate, other: number): number {
  const term = (count: number, rate: number) => (count === 0 ? 0 : count * Math.log(count / records / rate));
  return term(without, other) + term(records - without, 1 - other);
}

/** Whether a rate is as low as before. */
export const isBack = (before: MissingRate, now: MissingRate) =>
  now.records >= RECORDS_MIN && rateOf(now) < rateOf(before) + RISE_MIN;

/** Whether so many more records lack the field now that chance does not explain it: a G-test of both rates. */
export function isJump(before: MissingRate, now: MissingRate): boolean {
  if (before.records < RECORDS_MIN || now.records < RECORDS_MIN) return false;
  if (rateOf(now) - rateOf(before) < RISE_MIN) return false;
  const both = (before.without + now.without) / (before.records + now.records);
  return logLikelihood(before, both) + logLikelihood(now, both) >= LIKELIHOOD_MIN;
}

/** The rates that looks have found, by the name of a field's alarm. `isFrozen`: a look has seen the rate jump. */
export type PastMissingRates = Map<string, MissingRate & { readonly isFrozen: boolean }>;

/** How much one look weighs at the next look: half of it is left after ten looks. A slow change is no jump. */
const WEIGHT = 0.5 ** (1 / 10);

function isKept(one: unknown): one is [string, MissingRate & { readonly isFrozen: boolean }] {
  const [claim, rate] = Array.isArray(one) ? (one as readonly unknown[]) : [];
  const { records, without } = Object(rate) as Record<string, unknown>;
  return typeof claim === 'string' && typeof records === 'number' && typeof without === 'number';
}

/** The rates in a text of `writePast`; none if it is damaged or of another version. */
export function readPast(text = ''): PastMissingRates {
  const { version, shares } = Object(tryParseJson(text)) as Record<string, unknown>;
  return new Map(version === 1 && Array.isArray(shares) ? shares.filter(isKept) : []);
}

/** A rate with one more look; older looks count less. */
export function withLook(past: MissingRate, { records, without }: MissingRate) {
  const [all, lacking] = [past.records * WEIGHT + records, past.without * WEIGHT + without];
  return { records: all, without: lacking, isFrozen: false };
}

/** The rates as a text. */
export const writePast = (past: PastMissingRates) => JSON.stringify({ version: 1, shares: [...past] });
