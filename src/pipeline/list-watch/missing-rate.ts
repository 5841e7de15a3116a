// Decides for the list watch whether records suddenly lack a field more often than before, or whether chance explains it.

import { tryParseJson } from '../../kernel/json/try-parse-json.ts';

/** How many of `records` have no readable value of a field (`without`). */
export type MissingRate = { readonly records: number; readonly without: number };

/** Fewer records than this prove nothing. */
const RECORDS_MIN = 50;
/** A smaller rise of the rate is no jump, however many records show it. */
const RISE_MIN = 0.1;
/** The logarithm of the likelihood ratio from which a rise is a jump. Chance reaches it once in ten million comparisons. */
const LIKELIHOOD_MIN = 15;

/** The rate as a number from 0 to 1. */
export const rateOf = ({ records, without }: MissingRate) => (records === 0 ? 0 : without / records);

/** The rate as a text in percent. */
export const missingRateText = (rate: MissingRate) => `${Math.round(rateOf(rate) * 100)} %`;

/** How much better their own rate describes the records than the rate `other`: `n` times the Kullback-Leibler divergence. */
function logLikelihood({ records, without }: MissingRate, other: number): number {
  const term = (count: number, rate: number) => (count === 0 ? 0 : count * Math.log(count / records / rate));
  return term(without, other) + term(records - without, 1 - other);
}

/** Whether a rate is about as low as before. */
export const isBack = (before: MissingRate, now: MissingRate) =>
  now.records >= RECORDS_MIN && rateOf(now) < rateOf(before) + RISE_MIN;

/** Whether so many more records lack the field now that chance does not explain it (a G-test of both rates). */
export function isJump(before: MissingRate, now: MissingRate): boolean {
  if (before.records < RECORDS_MIN || now.records < RECORDS_MIN) return false;
  if (rateOf(now) - rateOf(before) < RISE_MIN) return false;
  const both = (before.without + now.without) / (before.records + now.records);
  return logLikelihood(before, both) + logLikelihood(now, both) >= LIKELIHOOD_MIN;
}

/** The rates that earlier looks found, by the name of the alarm. `isFrozen`: a look has seen a jump, so it stays as it is. */
export type PastMissingRates = Map<string, MissingRate & { readonly isFrozen: boolean }>;

/** The factor by which earlier looks count less at each new look: half after ten looks. So a slow change is no jump. */
const WEIGHT = 0.5 ** (1 / 10);

function isKept(one: unknown): one is [string, MissingRate & { readonly isFrozen: boolean }] {
  const [claim, rate] = Array.isArray(one) ? (one as readonly unknown[]) : [];
  const { records, without } = Object(rate) as Record<string, unknown>;
  return typeof claim === 'string' && typeof records === 'number' && typeof without === 'number';
}

/** Reads the text that `writePast` wrote. The map is empty if the text is damaged or of another version. */
export function readPast(text = ''): PastMissingRates {
  const { version, shares } = Object(tryParseJson(text)) as Record<string, unknown>;
  return new Map(version === 1 && Array.isArray(shares) ? shares.filter(isKept) : []);
}

/** Adds what one look has found to a rate. Older looks count less. */
export function withReading(past: MissingRate, { records, without }: MissingRate) {
  const [all, lacking] = [past.records * WEIGHT + records, past.without * WEIGHT + without];
  return { records: all, without: lacking, isFrozen: false };
}

/** Writes the rates as a text, for Redis. */
export const writePast = (past: PastMissingRates) => JSON.stringify({ version: 1, shares: [...past] });
