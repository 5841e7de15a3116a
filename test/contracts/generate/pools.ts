import type { Scalar, Shown } from '../oracle/values.ts';

/** What a source has, as JSON, and what clients must see of it. */
export type Pairs = readonly (readonly [held: string, shown: Scalar])[];

/** Whole numbers, some in forms that only a careless service has. */
export const INTEGERS: Pairs = [
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
/** Decimals, some of them equal with other digits. */
export const DECIMALS: Pairs = [
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
/** Texts that need care when they are compared, sorted or written. */
export const TEXTS = [
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
/** Times with their offset. */
export const INSTANTS: Pairs = [
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
/** Seconds since 1970. */
export const SECONDS: Pairs = [
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
/** Days. */
export const DATES: Pairs = [
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
/** Times whose day in UTC is meant. */
export const DAYS: Pairs = [
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

/** The ids that a resource's source has, as JSON, by the kind of its ids, and as clients see them without the prefix. */
export const IDS: Readonly<Record<'number' | 'text', readonly (readonly [string, string])[]>> = {
  number: [
    ...['1', '2', '3', '7', '9', '10', '11', '42', '100', '9007199254740993', '0'].map(
      (one) => [one, one] as const,
    ),
    ...([
      ['"0005"', '5'],
      ['"8"', '8'],
      ['" 12 "', '12'],
      ['123456789012345678901234567890', '123456789012345678901234567890'],
    ] as const),
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

/** How a source holds the values of a field. */
export type Coding = {
  /** The steps of its map. */
  readonly as: readonly unknown[];
  /** How the elements of a list are read. */
  readonly each?: Readonly<Record<string, unknown>>;
  /** What the source has, as JSON, and what clients must see of it. */
  readonly values: readonly (readonly [held: string, shown: Shown])[];
  /** The value that a text of a pushed filter stands for. */
  readonly read: (text: string) => string;
  /** Whether values can be asked for. */
  readonly isAskable: boolean;
};
