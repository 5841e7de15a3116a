import type { FieldKind } from '../../../contract/fields.ts';
import { type Json, NumberText } from '../../../kernel/json/json.ts';
import { scalarText } from '../../../kernel/json/values.ts';
import { likely, type Remark, toEdit } from '../notes/note.ts';
import { amountForm } from './read-amounts.ts';
import { momentForm } from './read-moments.ts';
import { type Guess, nullGuess, SHOWN_MIN, weighGuesses } from './weigh-guesses.ts';

/** The coercion steps for a field, with notes for the operator. */
export type CoercionSteps = {
  readonly as: readonly unknown[];
  readonly remarks: readonly Remark[];
  /** Steps that may be needed. Only the operator can decide. */
  readonly doubt?: Remark;
};

/**
 * Texts that services write for "no value". No other text of a record appears in a draft. What empty texts mean is decided for
 * all fields at once.
 */
const NULL_TEXTS = ['-', '--', 'N/A', 'n/a', 'null', 'NULL', 'none', 'None', 'undefined'];
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

const MARKUP = /<\/?[a-z][a-z0-9]*(?:\s[^<>]*)?>/i;
const ESCAPED = /&(?:amp|lt|gt|quot|apos|#\d{1,6}|#x[0-9a-f]{1,5});/i;
const REFERENCE = /&(?:[a-z][a-z0-9]{1,30}|#\d{1,7}|#x[0-9a-f]{1,6});/gi;

/** Texts that are never a real value. */
const NULL_SIGNS = ['-', '--', 'N/A', 'n/a'];

/** Timestamps that are a real value in some services, and "no value" in others. */
const EARLY = new Set(['0', '1900-01-01', '1900-01-01 00:00:00']);

/** Two years in seconds. In milliseconds it is the hour around 1970. */
const NEAR_SECONDS = 2 * 366 * 86_400;

/** Whether such a timestamp means "no value": it is frequent, and no other value is near it. */
function isPlaceholder(text: string, values: readonly Json[]): boolean {
  const texts = values.map((value) => scalarText(value)?.trim() ?? '');
  const count = texts.filter((one) => one === text).length;
  const isNear = (one: string) => one !== text && /^-?\d+$/.test(one) && Math.abs(Number(one)) < NEAR_SECONDS;
  const often = values.length < 40 || count > 2;
  return often && !(text === '0' && texts.some(isNear));
}

/** The values that mean "no value", in the form of `nullIf`. */
function nullValues(
  values: readonly Json[],
  words: readonly string[],
): readonly (string | number | boolean)[] {
  const found = new Set<string | number | boolean>();
  for (const value of values) {
    if (value === false) found.add(false);
    const text = scalarText(value)?.trim();
    if (text === undefined || !words.includes(text)) continue;
    found.add(text);
    // If a number means "no value", another view may write it as a text.
    if (text === '0') found.add(0);
  }
  return [...found].sort((a, b) => words.indexOf(String(a)) - words.indexOf(String(b)));
}

const nullIf = (found: readonly unknown[]) => (found.length === 0 ? [] : [{ nullIf: [...found] }]);
const isPadded = (value: Json) => typeof value === 'string' && value !== value.trim();
const plain = (values: readonly Json[], absent: readonly unknown[]) =>
  values.flatMap((value) => {
    const text = scalarText(value)?.trim();
    return text === undefined || absent.map(String).includes(text) ? [] : [text];
  });

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
    // Lines may be indented on purpose. Columns of a fixed width are filled at one side; a rare blank at the other counts.
    against: [
      ...texts.filter((text) => text.trim().includes('\n')),
      ...sides.filter(({ length }) => length < SHOWN_MIN).flat(),
    ],
  };
  const unescape: Guess = {
    ...{ step: 'unescape', touched: texts.filter((text) => ESCAPED.test(text) && !MARKUP.test(text)) },
    remark: 'every text is escaped for HTML, which is reversed',
    // A service that escapes its texts leaves none of these characters.
    against: texts.filter((text) => /[&<"]/.test(text.replaceAll(REFERENCE, ''))),
  };
  const nulls = words.map((word) => nullGuess(texts, word, hasGaps));
  const {
    steps,
    words: taken,
    remarks,
    ...doubt
  } = weighGuesses([trim, unescape, ...nulls], texts.length, isAsked);
  const html = likely('contains HTML, which is passed on; add the step stripHtml for plain text');
  return {
    as: [...steps, ...nullIf([...taken, ...(values.includes(false) ? [false] : [])])],
    remarks: [...(hasMarkup ? [html] : []), ...remarks],
    ...doubt,
  };
}

/** Whether all amounts are whole numbers, most of three or more digits: they may be cents. */
function mayBeCents(whole: readonly string[]): boolean {
  return (
    whole.length > 2 && whole.filter((text) => text.replace('-', '').length > 2).length * 2 > whole.length
  );
}

const isJsonNumber = (value: Json) => typeof value === 'number' || value instanceof NumberText;

/** Steps for amounts. JSON numbers need none; texts need their separators. */
function amountSteps(values: readonly Json[], name: string): CoercionSteps {
  const found = nullValues(values, ['', ...NULL_TEXTS]);
  const as = nullIf(found);
  const known = plain(values, found);
  const whole = known.length > 0 && known.every((text) => /^-?\d+$/.test(text));
  if (whole && /cent|minor|penc|pfennig|rappen/.test(name))
    return { as: [...as, 'cents'], remarks: [likely('whole cents, according to its name')] };
  const remarks: Remark[] = [];
  if (whole && mayBeCents(known))
    remarks.push(toEdit('whole numbers only: if they are cents, write as: [cents] instead'));
  if (values.every((value) => isJsonNumber(value) || value === false)) return { as, remarks };
  const form = amountForm(known);
  if (form === undefined) return { as, remarks: [...remarks, toEdit('none of the values is a number')] };
  const { decimal, group } = form;
  if (form.ambiguous) remarks.push(toEdit('could not find whether 1.234 means a thousand or a fraction'));
  if (form.share < 1) remarks.push(OTHER_FORM);
  const number = { ...(decimal !== '.' && { decimal }), ...(group !== '' && { group }) };
  const padded = values.some(isPadded) ? ['trim'] : [];
  return { as: [...padded, ...as, { number }], remarks };
}

const OTHER_FORM = likely('values in another form become null');

/** Steps for timestamps: the format that matches, and a zone if the texts have none. */
function momentSteps(values: readonly Json[], zone: string | undefined): CoercionSteps {
  const words = NULL_INSTANTS.filter((word) => !EARLY.has(word) || isPlaceholder(word, values));
  const found = nullValues(values, words);
  const form = momentForm(plain(values, found));
  if (form === undefined)
    return {
      as: [...nullIf(found), { date: { format: 'yyyy-MM-dd HH:mm:ss', zone: 'UTC' } }],
      remarks: [toEdit('could not find the format of these timestamps: give the format and its zone')],
    };
  const texts = values.flatMap((value) => scalarText(value) ?? []);
  const guesses = words.filter((word) => EARLY.has(word)).map((word) => nullGuess(texts, word, false));
  const { words: sure, doubt } = weighGuesses(guesses, texts.length);
  const taken = found.filter((word) => !EARLY.has(String(word)) || sure.includes(String(word)));
  const remarks: Remark[] = [];
  if (form.local && zone === undefined)
    remarks.push(toEdit('the texts have no time zone: replace UTC by the zone of the service'));
  if (form.local && zone !== undefined)
    remarks.push(likely(`the texts have no time zone; this product writes ${zone}`));
  if (form.ambiguous) remarks.push(toEdit('could not find which number is the day and which the month'));
  if (form.share < 1) remarks.push(OTHER_FORM);
  return { as: [...nullIf(taken), ...form.steps], remarks, ...(doubt !== undefined && { doubt }) };
}

const IS_CODE = /^(?:\d+|[A-Z0-9_-]{1,4})$/;

/** Steps for labels. Codes need labels from the operator. */
function labelSteps(
  values: readonly Json[],
  words: readonly string[],
  options: Pick<StepOptions, 'hasGaps' | 'isAsked'>,
): CoercionSteps {
  const { as, remarks, ...doubt } = textSteps(values, words, options);
  const known = [...new Set(plain(values, nullValues(values, ['', ...words])))];
  const isText = values.some((value) => typeof value === 'string');
  const number = isText ? [] : ['text'];
  if (known.length === 0 || !known.every((text) => IS_CODE.test(text)))
    return { as: [...as, ...number], remarks, ...doubt };
  const text = 'these are codes, not labels: give them labels, as: [{ enum: { code: label } }]';
  return { as: [...as, ...number], remarks: [...remarks, toEdit(text)], ...doubt };
}

/** Fields whose texts have a known form, such as URLs: a text for "no value" never has that form. */
const FORMED = new Set(['email', 'profile.avatar_url']);

/** Facts about the column of a field. */
export type StepOptions = {
  /** The column's folded name. */
  readonly name: string;
  readonly field: string;
  readonly zone: string | undefined;
  /** Some records have null or no value there. */
  readonly hasGaps: boolean;
  /** A filter of the contract asks for its values. */
  readonly isAsked: boolean;
};

/** The steps that read a field of some kind. */
export function chooseSteps(kind: FieldKind, values: readonly Json[], options: StepOptions): CoercionSteps {
  const known = values.filter((value) => value !== null);
  if (kind === 'decimal') return amountSteps(known, options.name);
  if (kind === 'datetime') return momentSteps(known, options.zone);
  if (options.field === 'category') return labelSteps(known, NULL_SIGNS, options);
  const isFormed = FORMED.has(options.field);
  return textSteps(known, isFormed ? NULL_TEXTS : NULL_SIGNS, {
    ...options,
    hasGaps: options.hasGaps && !isFormed,
  });
}
