// Decides which guesses about the steps of a text field stand in the draft, and which are left to the operator.

import { likely, toEdit } from '../notes/note.ts';
import { maskedSample } from './describe-columns.ts';

/** A step, or a word of `nullIf`, that may be needed. It changes the texts `touched`; the texts `against` show that it is wrong. */
export type Guess = {
  readonly step: string;
  readonly word?: string;
  readonly touched: readonly string[];
  readonly against: readonly string[];
  /** The remark for the operator if the guess is taken. */
  readonly remark?: string;
};

/** From this number of texts on, a step is needed, if no text contradicts it. */
export const SHOWN_MIN = 5;
const FORMS_SHOWN = 3;

/** The forms of some texts: a letter for each letter, 9 for each digit, _ for white space around them. */
function formsText(texts: readonly string[]): string {
  const marked = texts.map((text) => text.replaceAll(/^\s+|\s+$/g, (blanks) => '_'.repeat(blanks.length)));
  const forms = [...new Set(marked.map(maskedSample))].map((form) => `'${form}'`);
  return [...forms.slice(0, FORMS_SHOWN), ...(forms.length > FORMS_SHOWN ? ['…'] : [])].join(', ');
}

/**
 * Takes the guesses that enough texts show and no text contradicts. The others are left to the operator; so are all guesses
 * about a field that the contract filters by.
 */
export function weighGuesses(guesses: readonly Guess[], count: number, isAsked = false) {
  const possible = guesses.filter(({ touched }) => touched.length > 0);
  const isSure = ({ touched, against }: Guess) =>
    !isAsked && touched.length >= SHOWN_MIN && against.length === 0;
  const taken = possible.filter(isSure);
  const doubts = possible.flatMap((guess) => {
    const { step, touched, against } = guess;
    const other = against.length === 0 ? '' : `; contradicted by ${against.length}: ${formsText(against)}`;
    const facts = `${step} would change ${touched.length} of ${count} texts: ${formsText(touched)}${other}`;
    return isSure(guess) ? [] : [facts];
  });
  const why = isAsked
    ? 'a filter asks for these texts, so add to `as` only what the service does, too'
    : 'add to `as` what is right';
  return {
    steps: taken.flatMap(({ step, word }) => (word === undefined ? [step] : [])),
    words: taken.flatMap(({ word }) => word ?? []),
    remarks: taken.flatMap(({ remark }) => (remark === undefined ? [] : [likely(remark)])),
    doubts:
      doubts.length === 0 ? [] : [{ ...toEdit(`${doubts.join('; ')}; ${why}`), isOfSteps: true as const }],
  };
}

/** The guess that a word means "no value". If the column has nulls as well, the word may be a value like any other. */
export function nullGuess(texts: readonly string[], word: string, hasGaps: boolean): Guess {
  const touched = texts.filter((text) => text.trim() === word);
  const remark = `what is written ${JSON.stringify(word)} becomes null`;
  return { step: `{ nullIf: ['${word}'] }`, word, touched, against: hasGaps ? touched : [], remark };
}
