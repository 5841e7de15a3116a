import { z } from 'zod';
import { literal } from './request-schema.ts';

/** One step from a legacy value to a canonical one. */
export const coercion = z.union(
  [
    z.enum([
      'trim',
      'text',
      'unescape',
      'cents',
      'epochSeconds',
      'epochMilliseconds',
      'iso8601',
      'dotnetDate',
    ]),
    z.strictObject({ nullIf: z.array(literal).min(1).describe('Values that mean "unknown".') }),
    z.strictObject({ join: z.string().describe('Joins several texts, without the empty ones.') }),
    z.strictObject({
      enum: z.record(z.string(), z.string()).describe('Legacy code: v1 label. Other codes are unreadable.'),
    }),
    z.strictObject({
      number: z
        .strictObject({
          decimal: z.enum(['.', ',']).default('.'),
          group: z.enum(['', '.', ',', ' ', "'"]).default(''),
        })
        .refine(({ decimal, group }) => decimal !== group, 'decimal and group must be different characters'),
    }),
    z.strictObject({
      date: z.strictObject({
        format: z.string().describe('Unicode tokens (luxon), such as yyyy-MM-dd HH:mm:ss.'),
        zone: z.string().describe('UTC, an offset such as +02:00, or an IANA zone.'),
      }),
    }),
  ],
  {
    error:
      'expected a step: trim, text, unescape, cents, epochSeconds, epochMilliseconds, iso8601, dotnetDate, { nullIf: [] }, { join: "" }, { enum: {} }, { number: {} } or { date: {} }',
  },
);

const fieldMapping = z.strictObject({
  from: z
    .union([z.string(), z.array(z.string()).min(1)], { error: 'expected a path, or several' })
    .describe('Path(s) into the record.'),
  as: z.array(coercion).default([]).describe('Steps, in order.'),
});

export const mapping = z
  .record(
    z.string(),
    z.union([
      z.string().transform((from) => ({ from, as: [] })),
      z.null().transform(() => ({ from: [], as: [] })),
      fieldMapping,
    ]),
  )
  .describe('v1 field: where it comes from; null where the source has nothing of the kind.');
