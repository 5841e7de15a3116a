// Generates the contacts of the sample CRM, with the faults that old data have, and the people that they stand for.

import { bios, cultures, eastAsian, emojiNames, towns } from './people-words.ts';
import { createRandom, type LegacyText, noText, padded, type Random } from './random.ts';

/** The correct v1 record of a row, in the single-record view. */
export type UserTruth = Readonly<ReturnType<typeof truthOf>>;

/** A contact as the legacy system stores it. `natid`, `tel`, `login` and `pwd` are secret. */
export type LegacyUser = Readonly<ReturnType<typeof dirtied>>;

/** One generated user: the correct record, and the legacy row. */
export type SampleUser = { readonly truth: UserTruth; readonly legacy: LegacyUser };

/** An invented person, from which the correct record and the legacy row are made. */
type Person = Readonly<ReturnType<typeof invent>>;

/** Above 2^53; read as doubles, the first changes and the others become equal. */
const NUMBERS_BEYOND_DOUBLES = [9007199254740993n, 9007199254740995n, 9007199254740996n];

const FIRST_DAY = Date.UTC(2004, 1, 29) / 86_400_000;
const DAYS = 1_500;

/** Generates `count` users (5000 by default), ids ascending with gaps, the last three beyond 2^53. */
export function generateUsers({ seed, count = 5_000 }: { seed: number; count?: number }): SampleUser[] {
  const random = createRandom(seed);
  const wide = NUMBERS_BEYOND_DOUBLES.slice(0, count);
  const numbers = [...random.ascending(count - wide.length, 4).map(BigInt), ...wide];
  return numbers.map((number) => {
    const person = invent(random, number);
    return { truth: truthOf(person), legacy: dirtied(random, person) };
  });
}

function invent(random: Random, number: bigint) {
  const { given, family } = inventName(random);
  return {
    number,
    given,
    family,
    email: random.chance(0.06) ? null : inventEmail(random, given, family, number),
    createdSeconds: random.chance(0.05) ? null : inventCreated(random),
    bio: random.chance(0.2) ? null : random.pick<string>(bios),
    town: random.chance(0.15) ? null : random.pick<string>(towns),
    picture: random.chance(0.3) ? null : `https://img.example/${number}.jpg`,
  };
}

function inventName(random: Random): { given: string | null; family: string | null } {
  const culture = random.chance(0.08) ? eastAsian : random.pick(cultures);
  const given = random.chance(0.04) ? random.pick(emojiNames) : random.pick(culture.given);
  const family = random.pick(culture.family);
  // Names in random Unicode forms: they look equal, but their bytes are different.
  const form = random.chance(0.25) ? 'NFD' : 'NFC';
  const missing = random.below(100);
  return {
    given: missing < 4 ? null : given.normalize(form),
    family: missing < 2 || (missing >= 4 && missing < 8) ? null : family.normalize(form),
  };
}

function inventEmail(random: Random, given: string | null, family: string | null, number: bigint): string {
  if (random.chance(0.05)) return 'info@firma.example';
  const ascii = `${given ?? ''}.${family ?? ''}`.normalize('NFD').replace(/[^A-Za-z.]/g, '');
  const local = /^[A-Za-z]+\.[A-Za-z]+$/.test(ascii) ? `${ascii}+${number}` : `contact${number}`;
  return `${random.chance(0.15) ? local : local.toLowerCase()}@${random.pick(['mail', 'post', 'web'])}.example`;
}

function inventCreated(random: Random): number {
  const day = (FIRST_DAY + random.below(DAYS)) * 86_400;
  return random.chance(0.7) ? day : day + random.below(86_400);
}

function truthOf(person: Person) {
  const names = [person.given, person.family].filter((part) => part !== null);
  return {
    id: `user_${person.number}`,
    name: names.length === 0 ? null : names.join(' '),
    email: person.email,
    created_at: person.createdSeconds === null ? null : timestamp(person.createdSeconds),
    profile: { bio: person.bio, location: person.town, avatar_url: person.picture },
  };
}

function timestamp(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z');
}

/** The row of a person with the faults of old data: white space, several spellings of nothing, texts for numbers. */
function dirtied(random: Random, person: Person) {
  return {
    cid: person.number,
    // Epoch seconds, or one of 0, "" and null for "not known".
    created: dirtyCreated(random, person.createdSeconds),
    fname: dirtyName(random, person.given),
    lname: dirtyName(random, person.family),
    mail: person.email === null ? random.pick([null, '', '-', 'N/A']) : padded(random, person.email),
    notes: person.bio ?? noText(random),
    town: person.town ?? noText(random),
    picture: person.picture ?? random.pick([null, '', undefined, 'none']),
    natid: `${random.pick(['AB', 'JK', 'ZE'])}${100_000 + random.below(900_000)}C`,
    tel: `+49 30 ${1_000_000 + random.below(9_000_000)}`,
    login: `login${person.number}`,
    pwd: `${random.pick(['Sommer', 'passw0rd', 'qwertz'])}${1_000 + random.below(9_000)}!`,
  };
}

function dirtyCreated(random: Random, seconds: number | null): number | string | null {
  if (seconds === null) return random.pick([0, '', null]);
  return random.chance(1 / 7) ? String(seconds) : seconds;
}

function dirtyName(random: Random, part: string | null): LegacyText {
  if (part !== null) return padded(random, part);
  return random.chance(0.2) ? '  ' : noText(random);
}
