import type { FieldName, ResourceName } from '../../../contract/resources.ts';
import type { Json } from '../../../kernel/json/json.ts';
import { type Column, knownValues } from './columns.ts';
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
function chooseId(columns: readonly Column[], resource: ResourceName): ColumnChoice | undefined {
  const candidates = columns.filter(
    (column) => isScalarId(column) && isUnique(column) && looksLikeId(column),
  );
  const [best] = named(candidates, resourceWords[resource].ids, () => true);
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
function email(columns: readonly Column[]): ColumnChoice | undefined {
  const chosen = byName(fieldWords.email, isEmail).choose(columns);
  const [best] = chosen?.columns ?? [];
  if (best === undefined || chosen?.level !== 'sure' || coverage(best) === 1) return chosen;
  const listed = ({ path }: Column) => path.replace(/\[.*?\]/, '');
  const duplicate = named(columns, fieldWords.email, isEmail).find(
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

/** How the columns of each field are found. The compiler asks for every field of every resource. */
const CHOICES: { readonly [Name in ResourceName]: { readonly [Field in FieldName<Name>]: Choice } } = {
  users: {
    name: { words: personWords, choose: personName },
    email: { words: fieldWords.email, choose: email },
    created_at: byName(fieldWords.created_at, isMoment),
    'profile.bio': byName(fieldWords['profile.bio'], isProse),
    'profile.location': byName(fieldWords['profile.location'], isProse),
    'profile.avatar_url': byName(fieldWords['profile.avatar_url'], isAddress),
  },
  products: {
    name: byName(fieldWords.name, isText),
    description: byName(fieldWords.description, isText),
    price: byName(fieldWords.price, isAmount),
    category: byName(fieldWords.category, isTextOrCode),
  },
};

/** The columns for a field of the contract; `undefined` if none matches. */
export function chooseField(
  columns: readonly Column[],
  resource: ResourceName,
  field: string,
): ColumnChoice | undefined {
  if (field === 'id') return chooseId(columns, resource);
  const choices: Readonly<Record<string, Choice>> = CHOICES[resource];
  return choices[field]?.choose(columns);
}

/** The usual names of each field of a resource, folded, best first; `a.b` is b in a. */
export function columnWords(resource: ResourceName): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(Object.entries(CHOICES[resource]).map(([field, { words }]) => [field, words]));
}
