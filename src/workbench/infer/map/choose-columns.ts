import type { Field, FieldKind } from '../../../contract/fields.ts';
import type { Resource } from '../../../contract/resource.ts';
import type { Json } from '../../../kernel/json/json.ts';
import { type Column, knownValues } from './columns.ts';
import { fold } from '../../../source/checks/evidence/envelope.ts';
import { fieldWords, resourceWords } from '../detect/usual-names.ts';
import { scalarText } from '../../../kernel/json/values.ts';

/** The columns for a field, and how well they match. */
export type ColumnChoice = {
  /** Several if the field is joined from them. */
  readonly columns: readonly Column[];
  /** Other columns for rows in which the first has no value. */
  readonly others: readonly Column[];
  readonly level: 'sure' | 'likely';
  readonly join: boolean;
  /** The operator or the dialect named the column. */
  readonly isGiven?: boolean;
};

const texts = (column: Column) => knownValues(column).map((value) => scalarText(value) ?? '');

/** The share of rows with a value in a column. */
function coverage(column: Column): number {
  const filled = texts(column).filter((text) => text.trim() !== '').length;
  return column.values.length === 0 ? 0 : filled / column.values.length;
}

/** How well a column's name matches a list of words; `undefined` if it does not. */
function nameScore({ words }: Column, names: readonly string[]): number | undefined {
  const last = words.at(-1) ?? '';
  const pair = words.slice(-2).join('.');
  const triple = words.slice(-3).join('.');
  const ranks = [last, pair, triple].map((name) => names.indexOf(name)).filter((rank) => rank >= 0);
  return ranks.length === 0 ? undefined : 200 - Math.min(...ranks) - words.length * 3;
}

type Fits = (values: readonly Json[], column: Column) => boolean;

/** The columns whose names match, best first. Columns without any value come last. */
function named(columns: readonly Column[], names: readonly string[], fits: Fits): readonly Column[] {
  return columns
    .flatMap((column) => {
      const score = nameScore(column, names);
      const values = knownValues(column);
      const counts = values.length === 0 || fits(values, column);
      return score === undefined || !counts ? [] : [{ column, score: score + coverage(column) * 30 }];
    })
    .sort((a, b) => b.score - a.score)
    .map(({ column }) => column);
}

const share = (values: readonly Json[], fits: (text: string) => boolean) =>
  values.filter((value) => fits(scalarText(value) ?? '')).length / values.length;

const isText: Fits = (values) => values.some((value) => typeof value === 'string' && !/^\d+$/.test(value));
const isTextOrCode: Fits = (values) => values.some((value) => scalarText(value) !== undefined);
const isEmail: Fits = (values) => share(values, (text) => /\S@\S/.test(text)) > 0.3;
const isAmount: Fits = (values) =>
  share(values, (text) => /\d/.test(text) && /^[^\d-]{0,5}-?[\d.,' \u00a0\u202f]+[^\d]{0,5}$/.test(text)) >
  0.4;
const isMoment: Fits = (values) =>
  share(values, (text) => /\d{4}/.test(text) || /\d{2}[./-]\d{2}[./-]\d{2}/.test(text)) > 0.3;
const isAddress: Fits = (values) => share(values, (text) => /^https?:\/\//.test(text)) > 0.3;

const isProse: Fits = (values, column) => isText(values, column) && !isAddress(values, column);

const one = (
  column: Column | undefined,
  level: ColumnChoice['level'],
  others: readonly Column[] = [],
): ColumnChoice | undefined => column && { columns: [column], others, level, join: false };

/** The columns of a name: one, or two to join, or the login name as the last choice. */
function personName(columns: readonly Column[]): ColumnChoice | undefined {
  const full = named(columns, fieldWords.fullName, isText).filter((column) => coverage(column) > 0);
  const [best] = full;
  const first = named(columns, fieldWords.firstName, isText)[0];
  const last = named(columns, fieldWords.lastName, isText)[0];
  const parts = [first, last].filter((column) => column !== undefined);
  if (best !== undefined && (coverage(best) > 0.5 || parts.length === 0)) {
    const others = coverage(best) < 1 ? full.slice(1, 3) : [];
    return one(best, 'sure', others);
  }
  if (parts.length > 1) return { columns: parts, others: [], level: 'sure', join: true };
  if (best !== undefined) return one(best, 'likely');
  return one(parts[0] ?? named(columns, fieldWords.loginName, isText)[0], 'likely');
}

const isScalarId = (column: Column) =>
  column.values.length > 0 && column.values.every((value) => (scalarText(value) ?? '').trim() !== '');

function isUnique(column: Column): boolean {
  const found = column.values.map((value) => scalarText(value));
  return new Set(found).size === found.length;
}

/** Whether no value of a column is too long, or looks like a timestamp, a fraction or a URL. */
function looksLikeId(column: Column): boolean {
  return texts(column).every((text) => text.length <= 80 && !/[.,]\d+$|\s|^https?:/.test(text));
}

/** The column of the id: named like one, present in each row, and unique. */
function chooseId(columns: readonly Column[], resource: Resource): ColumnChoice | undefined {
  const candidates = columns.filter(
    (column) => isScalarId(column) && isUnique(column) && looksLikeId(column),
  );
  const [best] = named(candidates, resourceWords(resource).ids, () => true);
  if (best !== undefined) return one(best, 'sure');
  const [whole] = candidates.filter((column) => texts(column).every((text) => /^\d{1,19}$/.test(text)));
  return one(whole ?? candidates[0], 'likely');
}

/** How the columns of one field are found. */
type Choice = {
  /** Folded names, best first. */
  readonly words: readonly string[];
  /** `undefined` if no column matches. */
  readonly choose: (columns: readonly Column[]) => ColumnChoice | undefined;
};

/** Chooses the column with the best of some names, if its values have a form. */
function byName(words: readonly string[], fits: Fits): Choice {
  return {
    words,
    choose(columns) {
      const found = named(columns, words, fits);
      const filled = found.find((column) => knownValues(column).length > 0);
      return filled === undefined ? one(found[0], 'likely') : one(filled, 'sure');
    },
  };
}

/** Of a list of e-mail addresses the primary one is chosen, or else the first. */
function email(columns: readonly Column[], names: readonly string[]): ColumnChoice | undefined {
  const chosen = byName(names, isEmail).choose(columns);
  const [best] = chosen?.columns ?? [];
  if (best === undefined || chosen?.level !== 'sure' || coverage(best) === 1) return chosen;
  const listed = ({ path }: Column) => path.replace(/\[.*?\]/, '');
  const duplicate = named(columns, names, isEmail).find(
    (column) => column !== best && knownValues(column).length > 0 && listed(column) === listed(best),
  );
  return one(best, 'sure', duplicate === undefined ? [] : [duplicate]);
}

const personWords = [
  ...fieldWords.fullName,
  ...fieldWords.firstName,
  ...fieldWords.lastName,
  ...fieldWords.loginName,
];

const isBoolean: Fits = (values) =>
  share(values, (text) => /^(?:true|false|yes|no|[01yn])$/i.test(text)) > 0.9;
const isNumber: Fits = (values) => share(values, (text) => /^-?\d+$/.test(text)) > 0.9;

/** What the values of a field of each kind look like. */
const FITS: Readonly<Record<FieldKind, Fits>> = {
  id: isTextOrCode,
  text: isText,
  integer: isNumber,
  decimal: isAmount,
  boolean: isBoolean,
  datetime: isMoment,
  date: isMoment,
  enum: isTextOrCode,
  reference: isTextOrCode,
};

/** The names that a field has by itself, before those of what it means. */
const ownWords = ({ path, aliases }: Field) => [
  ...new Set([fold(path.at(-1) ?? ''), path.map(fold).join('.'), ...aliases]),
];

type Meaning = NonNullable<Field['means']>;

/** The common names of what a field may mean, and what its values look like. */
const MEANINGS: Readonly<
  Record<Exclude<Meaning, 'person_name' | 'email'>, readonly [readonly string[], Fits]>
> = {
  title: [fieldWords.title, isText],
  created: [fieldWords.created, isMoment],
  amount: [fieldWords.amount, isAmount],
  place: [fieldWords.place, isProse],
  category: [fieldWords.category, isTextOrCode],
  prose: [fieldWords.prose, isProse],
  description: [fieldWords.description, isText],
  picture: [fieldWords.picture, isAddress],
  url: [['url', 'link', 'href', 'website', 'homepage'], isAddress],
};

/** How the columns of a field are found: by its names, by what it means, and by what its values look like. */
function choiceOf(field: Field): Choice {
  const own = ownWords(field);
  const { means, kind } = field;
  if (means === 'person_name') return { words: [...personWords, ...own], choose: personName };
  if (means === 'email') {
    const names = [...new Set([...own, ...fieldWords.email])];
    return { words: names, choose: (columns) => email(columns, names) };
  }
  if (means === undefined) return byName(own, FITS[kind]);
  const [names, fits] = MEANINGS[means];
  return byName([...new Set([...own, ...names])], fits);
}

/** The columns for a field of the contract; `undefined` if none matches. */
export function chooseField(
  columns: readonly Column[],
  resource: Resource,
  field: Field,
): ColumnChoice | undefined {
  return field.kind === 'id' ? chooseId(columns, resource) : choiceOf(field).choose(columns);
}

/** The usual names of each field of a resource, folded, best first; `a.b` is b in a. */
export function columnWords({
  itemFields,
  detailFields,
}: Resource): Readonly<Record<string, readonly string[]>> {
  const fields = detailFields.length > 0 ? detailFields : itemFields;
  return Object.fromEntries(
    fields.flatMap((field) => (field.kind === 'id' ? [] : [[field.name, choiceOf(field).words]])),
  );
}
