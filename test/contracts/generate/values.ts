import type { Leaf } from '../oracle/model.ts';
import {
  type Coding,
  DATES,
  DAYS,
  DECIMALS,
  IDS,
  INSTANTS,
  INTEGERS,
  type Pairs,
  SECONDS,
  TEXTS,
} from './pools.ts';
import { listCoding } from './lists.ts';
import type { Random } from './random.ts';
import { escapedId } from './ids.ts';

const plain = (values: Pairs): Coding => ({ as: [], values, read: (text) => text, isAskable: true });
const coded = (as: readonly unknown[], values: Pairs, read?: Coding['read']): Coding => ({
  ...{ as, values, read: read ?? ((text) => text), isAskable: read !== undefined },
});

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

/** A time of the contract for a number of seconds; nothing for another text. */
function instantOf(seconds: string): string {
  const time = new Date(Number(seconds) * 1_000);
  return Number.isNaN(time.valueOf()) ? '' : time.toISOString().replace('.000Z', 'Z');
}

function references(start: string, kind: 'number' | 'text'): Pairs {
  const known = IDS[kind].map(([held, shown]) => [held, start + shown] as const);
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
  /** Whether a filter asks for a value of the field. */
  readonly isLabel: boolean;
  /** The kind of a resource's ids in the source. */
  readonly idKindOf: (resource: string) => 'number' | 'text';
};

/** One of the ways in which a source may hold a field. */
export function randomCoding(random: Random, leaf: Leaf, context: CodingContext): Coding {
  const { isLabel, idKindOf } = context;
  switch (leaf.kind) {
    case 'list':
      return listCoding(random, leaf.list!, (one, isAsked) =>
        randomCoding(random, one, { ...context, isLabel: isLabel && isAsked }),
      );
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
        coded(['iso8601'], INSTANTS, (text) => text),
        coded(['iso8601'], INSTANTS),
        coded(['epochSeconds'], SECONDS, instantOf),
      ]);
    case 'date':
      return random.is(0.7) ? plain(DATES) : coded(['iso8601', { day: 'UTC' }], DAYS);
    case 'enum':
      return enums(random, leaf.values);
    case 'reference':
      return coded([], references(leaf.start, idKindOf(leaf.to)), (text) => leaf.start + escapedId(text));
    default:
      return plain(texts(isLabel));
  }
}
