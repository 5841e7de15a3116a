import type { Leaf } from '../oracle/model.ts';
import type { Shown } from '../oracle/values.ts';
import type { Random } from './random.ts';

/** How a source holds the values of a field. */
export type Coding = {
  /** The steps of its map. */
  readonly as: readonly unknown[];
  /** What the source has, as JSON, and what clients must see of it. */
  readonly values: readonly (readonly [held: string, shown: Shown])[];
  /** The value that a text of a pushed filter stands for. */
  readonly read: (text: string) => string;
  /** Whether values can be asked for. */
  readonly isAskable: boolean;
};

type Pairs = readonly (readonly [string, Shown])[];

const plain = (values: Pairs): Coding => ({ as: [], values, read: (text) => text, isAskable: true });
const coded = (as: readonly unknown[], values: Pairs, read?: Coding['read']): Coding => ({
  ...{ as, values, read: read ?? ((text) => text), isAskable: read !== undefined },
});

const INTEGERS: Pairs = [
  ...(['0', '1', '2', '3', '10', '-7', '9007199254740993', '100000000000000000000000'].map((one) => [
    one,
    one,
  ]) as Pairs),
  ...([
    ['"3"', '3'],
    ['4.0', '4'],
    ['5e0', '5'],
    ['-0', '0'],
    ['" 2 "', '2'],
    ['1.20e2', '120'],
  ] as Pairs),
  ...([
    ['5.5', null],
    ['"x"', null],
    ['true', null],
    ['""', null],
    ['[1]', null],
    ['{}', null],
  ] as Pairs),
];
const DECIMALS: Pairs = [
  ...(['9.9', '9.90', '10', '0', '0.00', '-0.5', '19.99', '100000000000000000.01', '0.1'].map((one) => [
    one,
    one,
  ]) as Pairs),
  ...([
    ['"9.900"', '9.900'],
    ['1e1', '10'],
    ['1.5E+1', '15'],
    ['1e-3', '0.001'],
    ['-2', '-2'],
  ] as Pairs),
  ...([
    ['"1,5"', null],
    ['"1e3"', null],
    ['"."', null],
    ['false', null],
    ['""', null],
    ['"+1"', null],
  ] as Pairs),
];
const TEXTS = [
  ...[
    '',
    'a',
    'A',
    'b',
    'Ä',
    'é',
    'e\u0301',
    'ﬁ',
    '😀',
    '\uff5e',
    "o'x",
    'x;y',
    'x "y" z',
    '<b>&amp;',
    '50%',
  ],
  ...['a\nb', '{value}', '0', 'a+b', ' a ', 'a,b', 'null', '\\', 'a\u2028b', 'true', '\u00df'],
];
const INSTANTS: Pairs = [
  ...([
    ['"2020-05-01T10:00:00Z"', '2020-05-01T10:00:00Z'],
    ['"2020-05-01T12:00:00+02:00"', '2020-05-01T10:00:00Z'],
  ] as Pairs),
  ...([
    ['"2020-05-01T00:00:00Z"', '2020-05-01T00:00:00Z'],
    ['"2020-05-01T23:59:59.999Z"', '2020-05-01T23:59:59.999Z'],
  ] as Pairs),
  ...([
    ['"2020-05-02 00:00:00Z"', '2020-05-02T00:00:00Z'],
    ['"2020-05-01T10:00:00.500Z"', '2020-05-01T10:00:00.500Z'],
  ] as Pairs),
  ...([
    ['"1969-12-31T23:59:59Z"', '1969-12-31T23:59:59Z'],
    ['"0001-01-01T00:00:00Z"', '0001-01-01T00:00:00Z'],
  ] as Pairs),
  ...([
    ['"9999-12-31T23:59:59Z"', '9999-12-31T23:59:59Z'],
    ['"2024-02-29T12:00:00.000Z"', '2024-02-29T12:00:00Z'],
  ] as Pairs),
  ...([
    ['"2020-02-30T00:00:00Z"', null],
    ['"2020-05-01T10:00:00"', null],
    ['"0001-01-01T00:00:00+01:00"', null],
  ] as Pairs),
  ...([
    ['"0000-06-01T00:00:00Z"', null],
    ['"9999-12-31T23:59:59-01:00"', null],
    ['"now"', null],
    ['17', null],
  ] as Pairs),
];
const SECONDS: Pairs = [
  ...([
    ['1588327200', '2020-05-01T10:00:00Z'],
    ['1588327200.5', '2020-05-01T10:00:00.500Z'],
  ] as Pairs),
  ...([
    ['0', '1970-01-01T00:00:00Z'],
    ['"-1"', '1969-12-31T23:59:59Z'],
    ['1588291200', '2020-05-01T00:00:00Z'],
  ] as Pairs),
  ...([
    ['"x"', null],
    ['true', null],
    ['1e30', null],
  ] as Pairs),
];
const DATES: Pairs = [
  ...(['2020-05-01', '2020-05-02', '2024-02-29', '0001-01-01', '9999-12-31', '1969-12-31'].map((one) => [
    `"${one}"`,
    one,
  ]) as Pairs),
  ...([
    ['"2025-02-30"', null],
    ['"0000-01-01"', null],
    ['"2020-5-1"', null],
    ['20200501', null],
    ['""', null],
  ] as Pairs),
  ...([['"2020-05-01T10:00:00Z"', null]] as Pairs),
];
const DAYS: Pairs = [
  ...([
    ['"2020-05-01T10:00:00Z"', '2020-05-01'],
    ['"2020-05-01T23:30:00-02:00"', '2020-05-02'],
  ] as Pairs),
  ...([
    ['"2024-02-29T00:00:00Z"', '2024-02-29'],
    ['"2020-05-01"', null],
    ['3', null],
  ] as Pairs),
];

/** Texts that no equality filter can ask for are no labels. */
function texts(isLabel: boolean): Pairs {
  const odd: Pairs = [
    ['"a\\u0001b"', isLabel ? null : 'a\u0001b'],
    ['"\\u0085"', isLabel ? null : '\u0085'],
    ['"\\ud83d"', null],
    ['12', null],
    ['true', null],
    ['["a"]', null],
  ];
  return [...TEXTS.map((text) => [JSON.stringify(text), text] as const), ...odd];
}

function enums(random: Random, values: readonly string[]): Coding {
  if (random.is(0.5))
    return plain([
      ...values.map((one) => [JSON.stringify(one), one] as const),
      ['"other"', null],
      ['5', null],
    ]);
  const table = Object.fromEntries([
    ...values.map((one, at) => [`K${at}`, one]),
    ['X', 'no such value'],
  ]) as Record<string, string>;
  const pairs = values.map((one, at) => [`"K${at}"`, one] as const);
  const read = (text: string) => table[text] ?? '';
  return coded([{ enum: table }], [...pairs, ['"X"', null], ['"Y"', null]], read);
}

const YES: Record<string, string> = { Y: 'true', N: 'false', '?': 'maybe' };

/** The ids that a resource's source has, as JSON, by the kind of its ids, and as clients see them without the prefix. */
export const IDS: Readonly<Record<'number' | 'text', readonly (readonly [string, string])[]>> = {
  number: [
    ...['1', '2', '3', '7', '9', '10', '11', '42', '100', '9007199254740993', '0'].map(
      (one) => [one, one] as const,
    ),
    ...(
      [
        ['"0005"', '5'],
        ['"8"', '8'],
        ['" 12 "', '12'],
        ['13.0', '13'],
        ['123456789012345678901234567890', '123456789012345678901234567890'],
      ] as const
    ).filter(([held]) => held !== '13.0'),
  ],
  text: [
    ...['a', 'B', 'a_b', 'x.y', '7', '12', '007', 'Z-1', '_', '0'].map(
      (one) => [JSON.stringify(one), one] as const,
    ),
    ...([
      ['"a/b c"', 'a~2fb~20c'],
      ['"ä"', '~c3~a4'],
      ['"x~y"', 'x~7ey'],
      ['"100%"', '100~25'],
      ['"😀"', '~f0~9f~98~80'],
      ['5', '5'],
    ] as const),
  ],
};

function references(prefix: string, kind: 'number' | 'text'): Pairs {
  const known = IDS[kind].map(([held, shown]) => [held, `${prefix}_${shown}`] as const);
  return [
    ...known.slice(0, 9),
    ...known.slice(-4),
    ...([
      ['true', null],
      ['""', null],
      ['{}', null],
    ] as Pairs),
  ];
}

/** What a coding follows from beside the field. */
export type CodingContext = {
  /** Whether an equality filter asks for the field. */
  readonly isLabel: boolean;
  readonly prefix: string;
  readonly idKind: 'number' | 'text';
};

/** One of the ways in which a source may hold a field. */
export function randomCoding(random: Random, leaf: Leaf, { isLabel, prefix, idKind }: CodingContext): Coding {
  switch (leaf.kind) {
    case 'integer':
      return plain(INTEGERS);
    case 'decimal':
      return random.is(0.7)
        ? plain(DECIMALS)
        : random.of([
            coded(
              [{ number: { decimal: ',', group: '.' } }],
              [
                ['"1.234,50"', '1234.50'],
                ['"0,5"', '0.5'],
                ['7.5', '7.5'],
                ['"1.5"', null],
              ],
            ),
            coded(
              ['cents'],
              [
                ['1990', '19.90'],
                ['"5"', '0.05'],
                ['-100', '-1.00'],
                ['0', '0.00'],
                ['1.5', null],
              ],
            ),
          ]);
    case 'boolean':
      return random.is(0.5)
        ? plain([
            ['true', 'true'],
            ['false', 'false'],
            ['"true"', 'true'],
            ['"false"', 'false'],
            ['1', null],
            ['"yes"', null],
          ])
        : coded(
            [{ enum: YES }],
            [
              ['"Y"', 'true'],
              ['"N"', 'false'],
              ['"?"', null],
              ['"y"', null],
            ],
            (text) => YES[text] ?? '',
          );
    case 'datetime':
      return random.of([
        coded(['iso8601'], INSTANTS),
        coded(['iso8601'], INSTANTS),
        coded(['epochSeconds'], SECONDS),
      ]);
    case 'date':
      return random.is(0.7) ? plain(DATES) : coded(['iso8601', { day: 'UTC' }], DAYS);
    case 'enum':
      return enums(random, leaf.values);
    case 'reference':
      return { ...plain(references(prefix, idKind)), isAskable: false };
    default:
      return plain(texts(isLabel));
  }
}
