import { randomInt } from 'node:crypto';

/** Whether a scrambled text may stand for the one it was made of. */
export type Accept = (scrambled: string) => boolean;

/** Makes up texts of the same form: a letter for a letter, a digit for a digit, everything else as it is. */
export type TextScrambler = {
  /**
   * A text that nobody else has, neither given nor made up; `undefined` where none is accepted. Equal texts must be
   * asked for only once.
   */
  scramble(text: string, accept: Accept): string | undefined;
};

/** Attempts at a text as a whole, before it is changed place by place. */
const WHOLE_MAX = 20;
const ROUNDS_MAX = 3;

/** Fewer letters and digits say nothing: flags, grades, small numbers. They stay. */
const PLACES_MIN = 3;

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** What is not for anybody to read: the scheme of an address, and the exponent of a number. */
const KEPT = /^(?:https?:\/\/|mailto:)/;

function pick(characters: string): string {
  const all = Array.from(characters);
  return all[randomInt(all.length)] ?? '';
}

/** The numbers of the characters that are made up. */
function placesOf(characters: readonly string[], text: string): readonly number[] {
  const start = KEPT.exec(text)?.[0].length ?? 0;
  const isNumber = NUMBER.test(text);
  const exponent = isNumber ? text.search(/[eE]/) : -1;
  const end = exponent === -1 ? characters.length : exponent;
  // Leading zeros are part of the form; in JSON, no number may get any.
  const zeros = /^-?0*/.exec(text)?.[0].length ?? 0;
  const first = Math.max(start, /^-?0*\d/.test(text) ? zeros : 0);
  return characters.flatMap((character, index) =>
    index >= first && index < end && /[\p{L}\p{Nd}]/u.test(character) ? [index] : [],
  );
}

/** Creates a scrambler for texts that are all known: letters beyond ASCII are taken from theirs. */
export function createTextScrambler(texts: ReadonlySet<string>): TextScrambler {
  const used = new Set<string>();
  const foreign = { upper: '', lower: '' };
  for (const letter of new Set([...texts].join('').match(/[\u0080-\u{10ffff}]/gu)))
    if (/\p{L}/u.test(letter)) foreign[/\p{Lu}/u.test(letter) ? 'upper' : 'lower'] += letter;

  function madeUp(character: string, isFirst: boolean): string {
    if (/\d/.test(character)) return pick(isFirst ? '123456789' : '0123456789');
    if (/[a-z]/.test(character)) return pick(LOWER);
    if (/[A-Z]/.test(character)) return pick(LOWER.toUpperCase());
    if (/\p{L}/u.test(character)) return pick(/\p{Lu}/u.test(character) ? foreign.upper : foreign.lower);
    return character;
  }

  function whole(characters: readonly string[], places: readonly number[]): string {
    const made = [...characters];
    for (const place of places) made[place] = madeUp(characters[place] ?? '', place === places[0]);
    return made.join('');
  }

  /** Changes one place after the other, each only as far as the text is still accepted. */
  function stepwise(characters: readonly string[], places: readonly number[], accept: Accept): string {
    let made = [...characters];
    for (const place of places) {
      const tried = new Set<string>([characters[place] ?? '']);
      for (let attempt = 0; attempt < 12; attempt += 1) {
        const next = [...made];
        const character = madeUp(characters[place] ?? '', place === places[0]);
        if (tried.has(character)) continue;
        tried.add(character);
        next[place] = character;
        if (!accept(next.join(''))) continue;
        made = next;
        break;
      }
    }
    return made.join('');
  }

  return {
    scramble(text, accept) {
      const characters = Array.from(text);
      const places = placesOf(characters, text);
      const isFree = (made: string) => !used.has(made) && !texts.has(made);
      function take(made: string): string {
        used.add(made);
        return made;
      }
      for (let attempt = 0; attempt < WHOLE_MAX; attempt += 1) {
        const made = whole(characters, places);
        if (isFree(made) && accept(made)) return take(made);
      }
      for (let round = 0; round < ROUNDS_MAX; round += 1) {
        const made = stepwise(characters, places, accept);
        if (isFree(made) && accept(made)) return take(made);
      }
      return undefined;
    },
  };
}

/** Whether a text has enough letters and digits to say anything of anybody. */
export function saysSomething(text: string): boolean {
  return (text.match(/[\p{L}\p{Nd}]/gu)?.length ?? 0) >= PLACES_MIN && !/^(?:true|false|null)$/.test(text);
}
