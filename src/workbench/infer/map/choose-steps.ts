// Chooses for `infer` the steps (`as` in a `map`) that turn the values of a column into those of a field.

import type { Field, FieldMeaning } from '../../../contract/fields.ts';
import { type Json, NumberText } from '../../../kernel/json/json.ts';
import { likely, type Remark, toEdit } from '../notes/note.ts';
import { booleanSteps, enumSteps } from './code-steps.ts';
import { dateSteps, momentSteps, OTHER_FORM_REMARK } from './moment-steps.ts';
import {
  type CoercionSteps,
  isPadded,
  NULL_SIGNS,
  NULL_TEXTS,
  nullIf,
  nullValues,
  plainTexts,
} from './coercion-steps.ts';
import { amountForm } from './read-amounts.ts';
import { type Guess, nullGuess, SHOWN_MIN, weighGuesses } from './weigh-guesses.ts';

const MARKUP = /<\/?[a-z][a-z0-9]*(?:\s[^<>]*)?>/i;
const ESCAPED = /&(?:amp|lt|gt|quot|apos|#\d{1,6}|#x[0-9a-f]{1,5});/i;
const REFERENCE = /&(?:[a-z][a-z0-9]{1,30}|#\d{1,7}|#x[0-9a-f]{1,6});/gi;

/** Steps for texts: they trim, unescape, and remove "no value". What empty texts mean is decided for all fields at once. */
function textSteps(
  values: readonly Json[],
  words: readonly string[],
  { hasGaps, isAsked }: Pick<StepOptions, 'hasGaps' | 'isAsked'>,
): CoercionSteps {
  const texts = values.filter((value) => typeof value === 'string');
  const hasMarkup = texts.some((text) => MARKUP.test(text));
  // Line breaks around HTML text have no meaning; a browser drops them.
  const padded = hasMarkup ? [] : texts.filter(isPadded);
  const sides = [
    padded.filter((text) => text !== text.trimStart()),
    padded.filter((text) => text !== text.trimEnd()),
  ];
  const trim: Guess = {
    ...{ step: 'trim', touched: padded, remark: 'white space around texts is removed' },
    // Indented lines may be intended. A column of fixed width has blanks at one side, so a rare blank at the other counts.
    against: [
      ...texts.filter((text) => text.trim().includes('\n')),
      ...sides.filter(({ length }) => length < SHOWN_MIN).flat(),
    ],
  };
  const unescape: Guess = {
    step: 'unescape',
    touched: texts.filter((text) => ESCAPED.test(text) && !MARKUP.test(text)),
    remark: 'every text is escaped for HTML, which is reversed',
    // A service that escapes its texts leaves none of these characters.
    against: texts.filter((text) => /[&<"]/.test(text.replaceAll(REFERENCE, ''))),
  };
  const nulls = words.map((word) => nullGuess(texts, word, hasGaps));
  const weighed = weighGuesses([trim, unescape, ...nulls], texts.length, isAsked);
  const html = likely('contains HTML, which is passed on; add the step stripHtml for plain text');
  return {
    as: [...weighed.steps, ...nullIf([...weighed.words, ...(values.includes(false) ? [false] : [])])],
    remarks: [...(hasMarkup ? [html] : []), ...weighed.remarks, ...weighed.doubts],
  };
}

/** Whether all amounts are whole numbers, most of three or more digits: they may be cents. */
function mayBeCents(whole: readonly string[]): boolean {
  return (
    whole.length > 2 && whole.filter((text) => text.replace('-', '').length > 2).length * 2 > whole.length
  );
}

const CENTS = 'whole numbers only: if they are cents, write as: [cents] instead';

const isJsonNumber = (value: Json) => typeof value === 'number' || value instanceof NumberText;

/** Steps for amounts. JSON numbers need none; texts need their separators. */
function amountSteps(values: readonly Json[], name: string): CoercionSteps {
  const found = nullValues(values, ['', ...NULL_TEXTS]);
  const as = nullIf(found);
  const known = plainTexts(values, found);
  const whole = known.length > 0 && known.every((text) => /^-?\d+$/.test(text));
  if (whole && /cent|minor|penc|pfennig|rappen/.test(name))
    return { as: [...as, 'cents'], remarks: [likely('whole cents, according to its name')] };
  const remarks: Remark[] = [];
  if (whole && mayBeCents(known)) remarks.push(toEdit(CENTS));
  if (values.every((value) => isJsonNumber(value) || value === false)) return { as, remarks };
  const form = amountForm(known);
  if (form === undefined) return { as, remarks: [...remarks, toEdit('none of the values is a number')] };
  const { decimal, group } = form;
  if (form.ambiguous) remarks.push(toEdit('could not find whether 1.234 means a thousand or a fraction'));
  if (form.share < 1) remarks.push(OTHER_FORM_REMARK);
  const number = { ...(decimal !== '.' && { decimal }), ...(group !== '' && { group }) };
  const padded = values.some(isPadded) ? ['trim'] : [];
  return { as: [...padded, ...as, { number }], remarks };
}

const IS_CODE = /^(?:\d+|[A-Z0-9_-]{1,4})$/;

/** Steps for labels. Codes need labels from the operator. */
function labelSteps(
  values: readonly Json[],
  words: readonly string[],
  options: Pick<StepOptions, 'hasGaps' | 'isAsked'>,
): CoercionSteps {
  const { as, remarks } = textSteps(values, words, options);
  const known = [...new Set(plainTexts(values, nullValues(values, ['', ...words])))];
  const isText = values.some((value) => typeof value === 'string');
  const number = isText ? [] : ['text'];
  if (known.length === 0 || !known.every((text) => IS_CODE.test(text)))
    return { as: [...as, ...number], remarks };
  const text = 'these are codes, not labels: give them labels, as: [{ enum: { code: label } }]';
  return { as: [...as, ...number], remarks: [...remarks, toEdit(text)] };
}

/** Steps for whole numbers. A number with a fraction is a missing value. */
function integerSteps(values: readonly Json[]): CoercionSteps {
  const found = nullValues(values, ['', ...NULL_TEXTS]);
  const known = plainTexts(values, found);
  const read = amountSteps(values, '');
  const remarks = read.remarks.filter(({ text }) => text !== CENTS);
  const isGrouped = JSON.stringify(read.as).includes('"group"');
  const broken = known.filter((text) => /[.,]\d*[1-9]\d*$/.test(text)).length;
  if (broken > 0 && !isGrouped)
    remarks.push(toEdit(`${broken} of ${known.length} numbers have a fraction: these become null`));
  return { ...read, remarks };
}

const IN_ADDRESS = /^(?:https?:\/)?\/\S*\/[^/?#\s]+\/?$/;

/** Steps for the ids of other records. */
function referenceSteps(values: readonly Json[]): CoercionSteps {
  const found = nullValues(values, ['', ...NULL_SIGNS]);
  const known = plainTexts(values, found);
  const as = nullIf(found);
  if (known.length > 0 && known.every((text) => IN_ADDRESS.test(text)))
    return {
      as: [...as, { match: '/([^/?#]+)/?$' }],
      remarks: [likely('the id stands at the end of an address')],
    };
  const remarks: Remark[] = [];
  if (known.includes('0') && known.some((text) => text !== '0'))
    remarks.push(toEdit("some are 0: if that means none, write as: [{ nullIf: ['0', 0] }]"));
  if (known.some((text) => text.length > 80 || /\s/.test(text)))
    remarks.push(toEdit('these do not look like ids'));
  return { as, remarks };
}

/** Meanings whose texts have a known form, such as a URL. A text for "no value" never has that form. */
const FORMED: ReadonlySet<unknown> = new Set<FieldMeaning>(['email', 'picture', 'url']);

/** What the steps depend on besides the field and the values of its column. */
export type StepOptions = {
  /** The column's folded name. */
  readonly name: string;
  readonly zone: string | undefined;
  /** Whether some records have null or no value in the column. */
  readonly hasGaps: boolean;
  /** Whether a filter of the contract asks for values of the field. */
  readonly isAsked: boolean;
};

/** Steps for texts of any meaning. Numbers become texts. */
function anyTextSteps({ means }: StepField, known: readonly Json[], options: StepOptions): CoercionSteps {
  if (means === 'category') return labelSteps(known, NULL_SIGNS, options);
  const isFormed = FORMED.has(means);
  const steps = textSteps(known, isFormed ? NULL_TEXTS : NULL_SIGNS, {
    ...options,
    hasGaps: options.hasGaps && !isFormed,
  });
  return known.some(isJsonNumber) ? { ...steps, as: [...steps.as, 'text'] } : steps;
}

/** The parts of a field on which its steps depend. */
export type StepField = Pick<Field, 'kind' | 'values' | 'means'>;

/** The steps that read a field. */
export function chooseSteps(field: StepField, values: readonly Json[], options: StepOptions): CoercionSteps {
  const known = values.filter((value) => value !== null);
  switch (field.kind) {
    case 'decimal':
      return amountSteps(known, options.name);
    case 'integer':
      return integerSteps(known);
    case 'boolean':
      return booleanSteps(known);
    case 'datetime':
      return momentSteps(known, options.zone);
    case 'date':
      return dateSteps(known, options.zone);
    case 'enum':
      return enumSteps(known, field.values ?? []);
    case 'reference':
      return referenceSteps(known);
    default:
      return anyTextSteps(field, known, options);
  }
}
