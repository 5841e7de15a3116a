// Drafts for `infer` the steps (`as` in a `map`) that read columns of codes: enums and yes-or-no values.

import type { Json } from '../../../kernel/json/json.ts';
import { fold } from '../../../source/checks/evidence/document-leaves.ts';
import { likely, toEdit } from '../notes/note.ts';
import { maskedSample } from './describe-columns.ts';
import {
  type CoercionSteps,
  isPadded,
  NULL_SIGNS,
  nullIf,
  nullValues,
  plainTexts,
} from './coercion-steps.ts';

/** How many codes a draft shows at most. More are probably no codes. */
const CODES_MAX = 40;
/** What a code looks like: short, in one word or a few, so that no text of a person is shown. */
const CODE = /^[\p{L}\p{N}_./+-]{1,24}$/u;

/** Whether texts are codes, which a draft may show: few, short, and each in several records if there are many. */
function areCodes(distinct: readonly string[], count: number): boolean {
  return (
    distinct.length <= CODES_MAX &&
    distinct.every((text) => CODE.test(text)) &&
    (distinct.length <= 8 || distinct.length * 2 <= count)
  );
}

/** The codes as the operator sees them; only their forms if they may be texts of another kind. */
function shownCodes(distinct: readonly string[], count: number): string {
  const texts = areCodes(distinct, count) ? distinct : [...new Set(distinct.map(maskedSample))].slice(0, 5);
  return texts.join(', ');
}

/** The value of an enum that a code stands for: one with the same letters, or the only one that begins with the code. */
function valueOf(code: string, values: readonly string[], codes: readonly string[]): string | undefined {
  const own = fold(code);
  const same = values.find((value) => fold(value) === own);
  if (same !== undefined || own === '') return same;
  const [begun, ...others] = values.filter((value) => fold(value).startsWith(own));
  const isShared = codes.some((other) => other !== code && fold(begun ?? '').startsWith(fold(other)));
  return others.length > 0 || isShared ? undefined : begun;
}

/** Steps for an enum: none for its own values, a change of case, or a table of the codes, which the operator completes. */
export function enumSteps(values: readonly Json[], allowed: readonly string[]): CoercionSteps {
  const absent = nullValues(
    values,
    ['', ...NULL_SIGNS].filter((word) => !allowed.includes(word)),
  );
  const texts = plainTexts(values, absent);
  const codes = [...new Set(texts)].sort();
  const before = [
    ...(values.some((value) => typeof value !== 'string' && value !== false) ? ['text'] : []),
    ...(values.some(isPadded) ? ['trim'] : []),
  ];
  const as = [...nullIf(absent), ...before];
  const areAll = (change: (code: string) => string) => codes.every((code) => allowed.includes(change(code)));
  if (areAll((code) => code)) return { as, remarks: [] };
  if (areAll((code) => code.toLowerCase())) return { as: [...as, 'lowercase'], remarks: [] };
  if (areAll((code) => code.toUpperCase())) return { as: [...as, 'uppercase'], remarks: [] };
  const found = codes.map((code) => [code, valueOf(code, allowed, codes)] as const);
  // A code that stands for itself is no value of the contract, so the gateway counts it as a missing value.
  const table = { enum: Object.fromEntries(found.map(([code, value]) => [code, value ?? code])) };
  if (found.every(([code, value]) => value !== undefined && fold(value) === fold(code)))
    return { as: [...as, table], remarks: [likely('the values of the contract in another spelling')] };
  const shown = shownCodes(codes, texts.length);
  if (!areCodes(codes, texts.length))
    return { as, remarks: [toEdit(`these are no values of the contract (${shown}): is it this column?`)] };
  const text = `the codes found are ${shown}: say which value of the contract each is (${allowed.join(', ')}); one that is none is a missing value`;
  return { as: [...as, table], remarks: [toEdit(text)] };
}

/** Pairs of codes for yes and no, folded. */
const PAIRS: readonly (readonly [string, string])[] = [
  ['true', 'false'],
  ['yes', 'no'],
  ['y', 'n'],
  ['1', '0'],
  ['t', 'f'],
  ['on', 'off'],
  ['ja', 'nein'],
  ['j', 'n'],
  ['oui', 'non'],
  ['si', 'no'],
];

/**
 * The codes of one pair, such as `Y` and `N`, each with true or false. A code that no record has yet is written in the case
 * of the other one.
 */
function pairOf(codes: readonly string[]): Readonly<Record<string, string>> | undefined {
  const pair = PAIRS.find((one) => codes.every((code) => one.includes(code.toLowerCase())));
  if (pair === undefined) return undefined;
  const [sample = ''] = codes;
  const cased = (word: string) => {
    if (sample === sample.toLowerCase()) return word;
    if (sample === sample.toUpperCase()) return word.toUpperCase();
    return word.charAt(0).toUpperCase() + word.slice(1);
  };
  const written = (word: string) => codes.filter((code) => code.toLowerCase() === word);
  const labelled = (word: string, label: string) =>
    [...new Set([...written(word), cased(word)])].map((code) => [code, label] as const);
  return Object.fromEntries([...labelled(pair[0], 'true'), ...labelled(pair[1], 'false')]);
}

/** Steps for a boolean: none for those of JSON, a table for one pair of codes; for anything else the operator must decide. */
export function booleanSteps(values: readonly Json[]): CoercionSteps {
  const isPlain = (value: Json) => typeof value === 'boolean' || value === 'true' || value === 'false';
  if (values.every(isPlain)) return { as: [], remarks: [] };
  const texts = plainTexts(
    values.map((value) => (typeof value === 'boolean' ? String(value) : value)),
    [],
  );
  const codes = [...new Set(texts)].sort();
  const pair = values.some(isPadded) || codes.includes('') ? undefined : pairOf(codes);
  if (pair !== undefined) {
    const words = Object.entries(pair).map(([code, label]) => `${code} is ${label}`);
    return { as: [{ enum: pair }], remarks: [likely(words.join(', '))] };
  }
  const known = shownCodes(
    codes.filter((code) => code !== ''),
    texts.length,
  );
  const shown = [...(codes.includes('') ? ["''"] : []), known].join(', ');
  const text = `the codes found are ${shown}: say which is 'true' and which is 'false', as: [{ enum: { code: 'true' } }]`;
  return { as: [], remarks: [toEdit(text)] };
}
