// Chooses for `infer` the column of a service that holds a field of the contract, by names and by what values look like.

import type { Field } from '../../../contract/fields.ts';
import type { Resource } from '../../../contract/resource.ts';
import { scalarText } from '../../../kernel/json/values.ts';
import { fieldWords, resourceWords } from '../detect/usual-names.ts';
import { type Column, knownValues } from './columns.ts';
import {
  type Choice,
  type ColumnChoice,
  coverage,
  type Fits,
  isAddress,
  isAmount,
  isEmail,
  isMoment,
  isProse,
  isText,
  isTextOrCode,
  named,
  texts,
} from './column-tests.ts';
import { holdsTimes } from './describe-columns.ts';
import { byOwnName, ownWords } from './own-name.ts';

const one = (
  column: Column | undefined,
  level: ColumnChoice['level'],
  others: readonly Column[] = [],
): ColumnChoice | undefined => column && { columns: [column], others, level };

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
  if (parts.length > 1) return { columns: parts, others: [], level: 'sure' };
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

/** Ends of names that ids have in many services: STAFF_NO, goodsCd. */
const ID_END = /(?:no|nr|num|cd|code|key|ref|id)$/;
/** Names of amounts and times, which may be unique by chance. */
const NO_ID = /price|amount|cost|salary|preis|betrag|prix|precio|prezzo|cents?$|_ct$|date|time|datum/i;

/** The column of the id: named like one, present in each row, and unique. */
function chooseId(columns: readonly Column[], resource: Resource): ColumnChoice | undefined {
  const candidates = columns.filter(
    (column) => isScalarId(column) && isUnique(column) && looksLikeId(column),
  );
  const [best] = named(candidates, resourceWords(resource).ids, () => true);
  if (best !== undefined) return one(best, 'sure');
  const isNamed = ({ words }: Column) => ID_END.test(words.at(-1) ?? '');
  const isWhole = (column: Column) => texts(column).every((text) => /^\d{1,19}$/.test(text));
  const possible = candidates.filter(
    (column) => (isNamed(column) || !NO_ID.test(column.path)) && !holdsTimes(column),
  );
  const rank = (column: Column) => Number(isNamed(column)) * 2 + Number(isWhole(column));
  const [first, ...others] = possible.sort((a, b) => rank(b) - rank(a));
  return one(first, 'likely', others);
}

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
  const { means } = field;
  if (means === 'person_name') return { words: [...personWords, ...own], choose: personName };
  if (means === 'email') {
    const names = [...new Set([...own, ...fieldWords.email])];
    return { words: names, choose: (columns) => email(columns, names) };
  }
  if (means === undefined) return byOwnName(field);
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
