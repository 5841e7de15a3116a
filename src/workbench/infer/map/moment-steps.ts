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

/** Decides which timestamps mean "no value", and which ones the operator must decide about. */
function nullMoments(values: readonly Json[]) {
  const words = NULL_INSTANTS.filter((word) => !EARLY.has(word) || isPlaceholder(word, values));
  const found = nullValues(values, words);
  const texts = values.flatMap((value) => scalarText(value) ?? []);
  const guesses = words.filter((word) => EARLY.has(word)).map((word) => nullGuess(texts, word, false));
  const { words: sure, doubt } = weighGuesses(guesses, texts.length);
  const taken = found.filter((word) => !EARLY.has(String(word)) || sure.includes(String(word)));
  return { found, taken, known: plainTexts(values, found), ...(doubt !== undefined && { doubt }) };
}

/** The remark on values of a form that the draft does not read. */
export const OTHER_FORM_REMARK = likely('values in another form become null');

const WHICH_IS_THE_DAY = toEdit('could not find which number is the day and which the month');

/** Steps for timestamps: the format that matches, and a zone if the texts have none. */
export function momentSteps(values: readonly Json[], zone: string | undefined): CoercionSteps {
  // `doubt` holds the property `doubt`, or nothing.
  const { found, taken, known, ...doubt } = nullMoments(values);
  const form = momentForm(known);
  if (form === undefined)
    return {
      as: [...nullIf(found), { date: { format: 'yyyy-MM-dd HH:mm:ss', zone: 'UTC' } }],
      remarks: [toEdit('could not find the format of these timestamps: give the format and its zone')],
    };
  const remarks: Remark[] = [];
  if (form.local && zone === undefined)
    remarks.push(toEdit('the texts have no time zone: replace UTC by the zone of the service'));
  if (form.local && zone !== undefined)
    remarks.push(likely(`the texts have no time zone; this product writes ${zone}`));
  if (form.ambiguous) remarks.push(WHICH_IS_THE_DAY);
  if (form.share < 1) remarks.push(OTHER_FORM_REMARK);
  return { as: [...nullIf(taken), ...form.steps], remarks, ...doubt };
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MIDNIGHT_UTC = /T00:00(?::00(?:\.0+)?)?Z$/;

/**
 * Steps for dates: none for days as the contract writes them. A local time is on the day that it names, whatever its zone; an
 * instant is on a day only in some zone, which the operator knows.
 */
export function dateSteps(values: readonly Json[], zone: string | undefined): CoercionSteps {
  // `doubt` holds the property `doubt`, or nothing.
  const { found, taken, known, ...doubt } = nullMoments(values);
  if (known.length > 0 && known.every((text) => DAY.test(text)))
    return { as: nullIf(taken), remarks: [], ...doubt };
  const form = momentForm(known);
  if (form === undefined)
    return {
      as: [...nullIf(found), { date: { format: 'dd.MM.yyyy', zone: 'UTC' } }, { day: 'UTC' }],
      remarks: [toEdit('could not find the format of these dates: give the format')],
    };
  const remarks: Remark[] = [];
  if (!form.local) {
    if (known.every((text) => MIDNIGHT_UTC.test(text)))
      remarks.push(likely('all times are midnight in UTC, so the days are those of UTC'));
    else if (zone === undefined)
      remarks.push(toEdit('these are instants: replace UTC by the zone whose days are meant'));
    else remarks.push(likely(`the days are those of ${zone}, in which this product writes`));
  }
  if (form.ambiguous) remarks.push(WHICH_IS_THE_DAY);
  if (form.share < 1) remarks.push(OTHER_FORM_REMARK);
  const isUtc = form.local || known.every((text) => MIDNIGHT_UTC.test(text));
  return {
    as: [...nullIf(taken), ...form.steps, { day: isUtc ? 'UTC' : (zone ?? 'UTC') }],
    remarks,
    ...doubt,
  };
}
