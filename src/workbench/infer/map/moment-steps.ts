// Drafts for `infer` the steps (`as` in a `map`) that read timestamps and dates.

import type { Json } from '../../../kernel/json/json.ts';
import { scalarText } from '../../../kernel/json/values.ts';
import { likely, type Remark, toEdit } from '../notes/note.ts';
import { type CoercionSteps, NULL_TEXTS, nullIf, nullValues, plainTexts } from './coercion-steps.ts';
import { momentForm } from './moment-form.ts';
import { nullGuess, weighGuesses } from './weigh-guesses.ts';

const NULL_INSTANTS = [
  '',
  ...NULL_TEXTS,
  '0',
  '00000000',
  '0000-00-00',
  '0000-00-00 00:00:00',
  '0000-00-00T00:00:00',
  '0001-01-01',
  '0001-01-01T00:00:00',
  '0001-01-01T00:00:00Z',
  '1900-01-01',
  '1900-01-01 00:00:00',
  '00.00.0000',
  '01.01.0001',
  '/Date(-62135596800000)/',
];

/** Timestamps that are a real value in some services, but mean "no value" in others. */
const EARLY = new Set(['0', '1900-01-01', '1900-01-01 00:00:00']);

/** Two years in seconds. If timestamps are in milliseconds, this is the first day of 1970. */
const NEAR_SECONDS = 2 * 366 * 86_400;

/** Whether a timestamp of `EARLY` means "no value", because it is frequent and no other value is near it. */
function isPlaceholder(text: string, values: readonly Json[]): boolean {
  const texts = values.map((value) => scalarText(value)?.trim() ?? '');
  const count = texts.filter((one) => one === text).length;
  const isNear = (one: string) => one !== text && /^-?\d+$/.test(one) && Math.abs(Number(one)) < NEAR_SECONDS;
  const often = values.length < 40 || count > 2;
  return often && !(text === '0' && texts.some(isNear));
}

/** The remark on values of a form that the draft does not read. */
export const OTHER_FORM_REMARK = likely('values in another form become null');

/** Decides which timestamps mean "no value", which ones the operator must decide about, and what form the others have. */
function readMoments(values: readonly Json[]) {
  const words = NULL_INSTANTS.filter((word) => !EARLY.has(word) || isPlaceholder(word, values));
  const found = nullValues(values, words);
  const texts = values.flatMap((value) => scalarText(value) ?? []);
  const guesses = words.filter((word) => EARLY.has(word)).map((word) => nullGuess(texts, word, false));
  const { words: sure, doubts } = weighGuesses(guesses, texts.length);
  const taken = found.filter((word) => !EARLY.has(String(word)) || sure.includes(String(word)));
  const known = plainTexts(values, found);
  const form = momentForm(known);
  const remarks = [
    ...(form?.ambiguous ? [toEdit('could not find which number is the day and which the month')] : []),
    ...(form !== undefined && form.share < 1 ? [OTHER_FORM_REMARK] : []),
    ...doubts,
  ];
  return { found, taken, known, form, remarks, doubts };
}

/** The remark on timestamps without a zone. A day in another zone than UTC would begin on the day before, or after, in UTC. */
function zoneRemark(isDay: boolean, zone: string | undefined): Remark {
  if (isDay) return likely('the texts are days without a time: keep UTC, so that each keeps its date');
  if (zone === undefined)
    return toEdit('the texts have no time zone: replace UTC by the zone of the service');
  return likely(`the texts have no time zone; this product writes ${zone}`);
}

/** Steps for timestamps: the format that matches, and a zone if the texts have none. */
export function momentSteps(values: readonly Json[], zone: string | undefined): CoercionSteps {
  const { found, taken, form, remarks } = readMoments(values);
  if (form === undefined)
    return {
      as: [...nullIf(found), { date: { format: 'yyyy-MM-dd HH:mm:ss', zone: 'UTC' } }],
      remarks: [toEdit('could not find the format of these timestamps: give the format and its zone')],
    };
  return {
    as: [...nullIf(taken), ...form.steps],
    remarks: [...(form.local ? [zoneRemark(form.isDay, zone)] : []), ...remarks],
  };
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MIDNIGHT_UTC = /T00:00(?::00(?:\.0+)?)?Z$/;

/** The remark on instants: which days they are on. */
function daysRemark(isMidnight: boolean, zone: string | undefined): Remark {
  if (isMidnight) return likely('all times are midnight in UTC, so the days are those of UTC');
  if (zone === undefined) return toEdit('these are instants: replace UTC by the zone whose days are meant');
  return likely(`the days are those of ${zone}, in which this product writes`);
}

/**
 * Steps for dates: none for days as the contract writes them. A local time is on the day that it names, whatever its zone; an
 * instant is on a day only in some zone, which the operator knows.
 */
export function dateSteps(values: readonly Json[], zone: string | undefined): CoercionSteps {
  const { found, taken, known, form, remarks, doubts } = readMoments(values);
  if (known.length > 0 && known.every((text) => DAY.test(text)))
    return { as: nullIf(taken), remarks: doubts };
  if (form === undefined)
    return {
      as: [...nullIf(found), { date: { format: 'dd.MM.yyyy', zone: 'UTC' } }, { day: 'UTC' }],
      remarks: [toEdit('could not find the format of these dates: give the format')],
    };
  const isMidnight = known.every((text) => MIDNIGHT_UTC.test(text));
  const isUtc = form.local || isMidnight;
  return {
    as: [...nullIf(taken), ...form.steps, { day: isUtc ? 'UTC' : (zone ?? 'UTC') }],
    remarks: [...(form.local ? [] : [daysRemark(isMidnight, zone)]), ...remarks],
  };
}
