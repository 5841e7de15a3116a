// The schema of the steps (`as`) with which a mapping turns a value of a source into a value of the contract.

import * as z from 'zod';
import { literal } from '../elements/request.ts';
import { OwnCoercion } from './own-coercion.ts';

const money = z
  .strictObject({
    amount: z.string().describe('Path of the amount, within the value.'),
    currency: z.string().describe('Path of the currency, within the value.'),
    expect: z
      .union([
        z
          .string()
          .min(1)
          .transform((one) => [one]),
        z.array(z.string().min(1)).min(1),
      ])
      .describe('The currency that prices are in, as the source writes it; or several ways to write it.'),
  })
  .describe('The amount of a value with a currency; an amount in another currency is unreadable.');

const number = z
  .strictObject({
    decimal: z.enum(['.', ',']).default('.').describe('What stands before the decimals.'),
    group: z
      .enum(['', '.', ',', ' ', "'"])
      .default('')
      .describe('What stands between groups of three digits; empty for nothing.'),
  })
  .refine(({ decimal, group }) => decimal !== group, 'decimal and group must be different characters');

const word = <T extends string>(text: T, about: string) => z.literal(text).describe(about);

const named = [
  word('trim', 'Removes white space at both ends.'),
  word('text', 'A number as text, with the digits it is written with.'),
  word('lowercase', 'Lower case.'),
  word('uppercase', 'Upper case.'),
  word('unescape', 'Decodes &amp; and other entities.'),
  word('stripHtml', 'The text of HTML, as one line.'),
  word('cents', 'A whole number of cents.'),
  word('epochSeconds', 'Seconds since 1970.'),
  word('epochMilliseconds', 'Milliseconds since 1970.'),
  word('iso8601', 'ISO 8601 with its zone.'),
  word('dotnetDate', '/Date(1588291200000)/'),
] as const;

/** One step of a mapping (`as`): together, the steps turn a legacy value into a canonical one. */
export const coercion = z
  .union(
    [
      ...named,
      z.strictObject({ nullIf: z.array(literal).min(1).describe('Values that mean "unknown".') }),
      z.strictObject({
        default: z
          .union([z.string(), z.number(), z.boolean()])
          .describe('The value in place of an unknown or missing one.'),
      }),
      z.strictObject({
        join: z.string().describe('Joins several texts, or a list of them, without the empty ones.'),
      }),
      z.strictObject({
        enum: z.record(z.string(), z.string()).describe('Legacy code: v1 label. Other codes are unreadable.'),
      }),
      z.strictObject({
        template: z
          .string()
          .regex(
            /^(?:(?!\{value\})[^])*\{value\}(?:(?!\{value\})[^])*$/,
            'expected a text with {value} in it, once',
          )
          .describe('Text around the value, such as https://img.example/{value}.'),
      }),
      z.strictObject({
        split: z
          .strictObject({
            by: z.string().min(1).describe('What stands between the pieces.'),
            at: z.int().min(-1_000).max(1_000).describe('Which piece, from 0; -1 is the last.'),
          })
          .describe('One piece of a text; a text with fewer pieces is unreadable.'),
      }),
      z.strictObject({
        match: z
          .string()
          .describe('A regular expression whose first group is the value; other texts are unreadable.'),
      }),
      z.strictObject({
        parseJson: z
          .string()
          .describe('For a text that holds JSON: the path of the value in it; empty for all of it.'),
      }),
      z.strictObject({ money }),
      z.strictObject({ number }),
      z.strictObject({
        date: z.strictObject({
          format: z.string().describe('Unicode tokens (luxon), such as yyyy-MM-dd HH:mm:ss.'),
          zone: z
            .string()
            .describe(
              'UTC, an offset such as +02:00, or an IANA zone. A day without a time keeps its date in UTC.',
            ),
        }),
      }),
      z.strictObject({
        day: z
          .string()
          .describe(
            'For a field of the kind date: the day of a time in this zone: UTC, an offset or an IANA zone.',
          ),
      }),
      z.strictObject({
        call: z
          .string()
          .min(1)
          .transform((name) => new OwnCoercion(name))
          .describe(
            'A function of your own, by its name in the module under `coercions` of the gateway file.',
          ),
      }),
    ],
    {
      error:
        'expected a step: trim, text, lowercase, uppercase, unescape, stripHtml, cents, epochSeconds, epochMilliseconds, iso8601, dotnetDate, { nullIf: [] }, { default: "" }, { join: "" }, { enum: {} }, { template: "" }, { split: {} }, { match: "" }, { parseJson: "" }, { money: {} }, { number: {} }, { date: {} }, { day: "" } or { call: "" }',
    },
  )
  .meta({ id: 'step' });
