// The people of the sample service that the users are migrated to, and the twelve mistakes in them that a comparison has to
// find.

import type { UserTruth } from './data/generate-users.ts';

/** A person as the new service stores it. `passwordHash` is secret. */
export type Person = Readonly<ReturnType<typeof personOf>>;

/** Makes a person without mistakes. The service's own id is made from `position`; `secretMarker` is appended to the secret. */
export function personOf(truth: UserTruth, position: number, secretMarker: string) {
  const { id, name, email, created_at, profile } = truth;
  return {
    // The service's own id: a multiplication by an odd number modulo 2^32 gives each position one, in another order.
    personId: `p-${(Math.imul(position + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0')}`,
    // The number that the person had in the CRM.
    legacyId: id.replace('user_', ''),
    displayName: name,
    emailAddress: email,
    // ISO 8601 with milliseconds.
    createdAt: created_at === null ? null : created_at.replace('Z', '.000Z'),
    about: { bio: profile.bio, city: profile.location, avatarUrl: profile.avatar_url },
    passwordHash: `$2b$10$${position.toString(36)}${secretMarker}`,
  };
}

/** One mistake that the copy of the people was made with. */
type Mistake = {
  /** The first person that it fits, and that has no other mistake, gets it. */
  readonly fits: (person: Person) => boolean;
  /** `undefined`: the person was not copied. */
  readonly make: (person: Person) => Person | undefined;
};

function later(instant: string, hours: number): string {
  return new Date(Date.parse(instant) + hours * 3_600_000).toISOString();
}

function withAbout(person: Person, about: Partial<Person['about']>): Person {
  return { ...person, about: { ...person.about, ...about } };
}

/** The mistakes that a person's record shows. The twelfth is an order, see `SWAPPED_MAIL`. */
const mistakes: readonly Mistake[] = [
  // A blank after the name.
  {
    fits: ({ displayName }) => displayName !== null,
    make: (person) => ({ ...person, displayName: `${person.displayName ?? ''} ` }),
  },
  // A name in capitals.
  {
    fits: ({ displayName }) => /^[A-Z][a-z]+ [A-Z][a-z]+$/.test(displayName ?? ''),
    make: (person) => ({ ...person, displayName: (person.displayName ?? '').toUpperCase() }),
  },
  // A name in another Unicode form.
  {
    fits: ({ displayName }) => displayName !== null && displayName.normalize('NFC') !== displayName,
    make: (person) => ({ ...person, displayName: (person.displayName ?? '').normalize('NFC') }),
  },
  // A time one hour late, as of another time zone.
  {
    fits: ({ createdAt }) => createdAt !== null,
    make: (person) => ({ ...person, createdAt: later(person.createdAt ?? '', 1) }),
  },
  // A lost time.
  {
    fits: ({ createdAt }) => createdAt !== null,
    make: (person) => ({ ...person, createdAt: null }),
  },
  // An address of another domain.
  {
    fits: ({ emailAddress }) => emailAddress !== null,
    make: (person) => ({
      ...person,
      emailAddress: (person.emailAddress ?? '').replace(/@.*/, '@old.example'),
    }),
  },
  // A lost address.
  {
    fits: ({ emailAddress }) => emailAddress !== null,
    make: (person) => ({ ...person, emailAddress: null }),
  },
  // A text that was cut off.
  {
    fits: ({ about: { bio } }) => (bio?.length ?? 0) > 20,
    make: (person) => withAbout(person, { bio: person.about.bio?.slice(0, 20) ?? null }),
  },
  // An empty town where none is known.
  {
    fits: ({ about: { city } }) => city === null,
    make: (person) => withAbout(person, { city: '' }),
  },
  // A picture without https.
  {
    fits: ({ about: { avatarUrl } }) => avatarUrl !== null,
    make: (person) =>
      withAbout(person, { avatarUrl: person.about.avatarUrl?.replace('https:', 'http:') ?? null }),
  },
  // A person who was not copied.
  {
    fits: () => true,
    make: () => undefined,
  },
];

/** Several people share this address, and a sort by address gives two of them in the wrong order. */
export const SWAPPED_MAIL = 'info@firma.example';

/** The people with each mistake once, spread over all of them; one that fits no person is left out. */
export function withMistakes(people: readonly Person[]): readonly Person[] {
  const changed = new Map<Person, Person | undefined>();
  for (const [index, { fits, make }] of mistakes.entries()) {
    const from = Math.floor((index * people.length) / mistakes.length);
    const order = [...people.slice(from), ...people.slice(0, from)];
    const found = order.find((person) => !changed.has(person) && fits(person));
    if (found !== undefined) changed.set(found, make(found));
  }
  return people.flatMap((person) => {
    const now = changed.has(person) ? changed.get(person) : person;
    return now === undefined ? [] : [now];
  });
}
