import { hash } from 'node:crypto';

/** A contract with a personal field of every kind: alone, in an object, in lists of values and in lists of objects. */
export const contract = `contract: 1
title: Club
resources:
  members:
    singular: member
    id: { prefix: mem }
    fields:
      name: { kind: text, required: true }
      age: { kind: integer }
      wage: { kind: decimal, personal: true }
      active: { kind: boolean, personal: true }
      seen: { kind: datetime, personal: true }
      born: { kind: date }
      rank: { kind: enum, values: [captain, stoker], personal: true }
      friend: { kind: reference, to: members }
      home: { city: { kind: text }, moved: { kind: date } }
      nicks: { kind: list, of: { kind: text } }
      phones: { kind: list, of: { kind: integer } }
      debts: { kind: list, of: { kind: decimal, personal: true } }
      flags: { kind: list, of: { kind: boolean, personal: true } }
      visits: { kind: list, of: { kind: datetime, personal: true } }
      feasts: { kind: list, of: { kind: date } }
      ranks: { kind: list, of: { kind: enum, values: [captain, stoker], personal: true } }
      friends: { kind: list, of: { kind: reference, to: members } }
      notes:
        kind: list
        max: 20
        of:
          text: { kind: text }
          number: { kind: integer }
          sum: { kind: decimal, personal: true }
          done: { kind: boolean, personal: true }
          at: { kind: datetime, personal: true }
          day: { kind: date }
          rank: { kind: enum, values: [captain, stoker], personal: true }
          about: { kind: reference, to: members }
    single: true
    sort: [name, born]
    filters:
      name: { field: name, is: equal }
      min_age: { field: age, is: at_least }
      born: { field: born, is: equal }
      friend: { field: friend, is: one_of }
`;

const DAY = 'as: [{ date: { format: yyyyMMdd, zone: UTC } }, { day: UTC }]';
const RANK = 'as: [{ enum: { C: captain, S: stoker } }]';
const MAP = `{ id: id, name: name, age: age, wage: wage, active: active, seen: { from: seen, as: [iso8601] }, born: { from: born, ${DAY} }, rank: { from: rank, ${RANK} }, friend: friend, home.city: home.city, home.moved: { from: home.moved, ${DAY} }, nicks: nicks, phones: phones, debts: debts, flags: flags, visits: { from: visits, each: { as: [iso8601] } }, feasts: { from: feasts, each: { ${DAY} } }, ranks: { from: ranks, each: { ${RANK} } }, friends: friends, notes: { from: notes, each: { map: { text: text, number: number, sum: sum, done: done, at: { from: at, as: [iso8601] }, day: { from: day, ${DAY} }, rank: { from: rank, ${RANK} }, about: about } } } }`;

/** How a source gives its rows: two at a time, where the name of the last one names the next ones; or pages by their id. */
const WINDOWS = {
  legacy: `request: { path: /members, query: { after: '{after}', n: '{limit}' } }
      window: { kind: keyset, sizeMax: 2, key: name }`,
  next: `request: { path: /members, query: { from: '{offset}', n: '{limit}' } }
      window: { kind: offset, sizeMax: 100 }
      order: id
      orderIs: documented`,
};

/** One of two sources of it. */
export const sourceText = (name: keyof typeof WINDOWS, origin: string) => `source: 1
name: ${name}
net: { baseUrl: '${origin}', retries: { max: 0 }, breaker: { calls: 10, failures: 90, window: 2s, open: 100ms } }
budget: { snapshot: 0s }
outcomes: [{ status: 404, is: not_found, on: get }, { status: 200, is: ok }]
resources:
  members:
    id: { kind: text }
    list:
      ${WINDOWS[name]}
      items: rows
      total: { at: total }
      filters: { name: { eq: { query: { called: '{value}' }, exactness: exact } } }
      map: ${MAP}
    get: { request: { path: '/members/{id}' }, item: '', map: ${MAP} }
`;

/** Letters that no text of Portico has, so a single one of them gives a print of a text away, and a word for the rest. */
const LETTERS = 'ѪѮѲѴ';
const WORD = 'qxjvwkqz';
/** The id of a member, as the source has it. */
export const idOf = (n: number) => `${WORD}-id${n}`;
/** A text with letters and the word. */
export const textOf = (n: number, of = '') => `${LETTERS} ${WORD}${of}${n}`;
/** A number of twelve digits. */
const numberOf = (n: number, of: number) => Number(`7319${of}04417${of}${n}`);

/** The row of a member, as the source has it. `n` is one digit; every value with another one is another. */
export const rowOf = (n: number, id = n) => ({
  ...{ id: idOf(id), name: textOf(n), age: numberOf(n, 11), wage: Number(`862${n}31.97${n}4`) },
  ...{ active: n % 2 === 0, seen: `1${n}71-03-05T06:17:28Z`, born: Number(`1${n}710305`), rank: 'CS'[n % 2] },
  ...{ friend: idOf(n), home: { city: textOf(n, 'city'), moved: Number(`1${n}720406`) } },
  ...{ nicks: [textOf(n, 'nick')], phones: [numberOf(n, 22)], debts: [Number(`862${n}32.97${n}5`)] },
  ...{ flags: [n % 2 === 0], visits: [`1${n}73-03-05T06:17:29Z`], feasts: [Number(`1${n}740305`)] },
  ...{ ranks: ['CS'[n % 2]], friends: [idOf(n)] },
  notes: [
    {
      ...{ text: textOf(n, 'note'), number: numberOf(n, 33), sum: Number(`862${n}33.97${n}6`) },
      ...{ done: n % 2 === 0, at: `1${n}75-03-05T06:17:27Z`, day: Number(`1${n}760305`) },
      ...{ rank: 'CS'[n % 2], about: idOf(n) },
    },
  ],
});

/** Of a hash or of another writing of a value, so many characters: a print of it, and too many for a random id. */
const PRINT = 10;

/** How a text begins if it is masked in a way that can be undone. */
function formsOf(text: string): readonly string[] {
  const digests = ['md5', 'sha1', 'sha256', 'sha512'].flatMap((name) =>
    (['hex', 'base64', 'base64url'] as const).map((encoding) => hash(name, text, encoding)),
  );
  const written = (['hex', 'base64', 'base64url'] as const).map((encoding) =>
    Buffer.from(text).toString(encoding),
  );
  // Where an instant is counted.
  const ms = /^1\d{3}-/.test(text) ? [String(Date.parse(text)), String(Date.parse(text) / 1_000)] : [];
  return [...digests, ...written, ...ms].map((one) => one.slice(0, PRINT));
}

/** The scalars of a value as texts. */
export const scalarsOf = (value: unknown): readonly string[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(scalarsOf) : [String(value)];

const dayOf = (text: string) => (/^1\d{7}$/.test(text) ? text.replace(/^(....)(..)(..)$/, '$1-$2-$3') : text);
const values = new Set(
  Array.from({ length: 10 }, (_, n) => scalarsOf(rowOf(n)))
    .flat()
    .filter((one) => one.length > 5),
);
const forms = new Set([...values].flatMap((one) => [one, dayOf(one), `mem_${one}`].flatMap(formsOf)));
/** Prints of some characters of words and numbers, so many that no random id has them; in no span or instant of our days stands a day of these centuries. */
const PRINTS =
  /[\u0460-\u047f]|\\u04[67]|%d1%[ab]|~d1~[ab]|qxjvwk|jvwkqz|7319(?:11|22|33)044|862\d3[123]\.97|(?<!\d)1\d7[1-6]-?0[34]-?0[56](?!\d)/i;

/** The markers in a text, each with what stands around it. */
export function markersIn(text: string): readonly string[] {
  const print = PRINTS.exec(text)?.index;
  const words = [...text.matchAll(/[\w+/-]{10,}/g)].filter(([found]) => forms.has(found.slice(0, PRINT)));
  const at = [...(print === undefined ? [] : [print]), ...words.map(({ index }) => index)];
  return at.map((index) => text.slice(Math.max(0, index - 60), index + 40));
}
