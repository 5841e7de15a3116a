import { z } from 'zod';
import { coercion } from './coercion.ts';

/** The origin of a field: paths and coercion steps, or a constant. */
const fieldMapping = z.strictObject({
  from: z
    .union([z.string(), z.array(z.string()).min(1)], { error: 'expected a path, or several' })
    .describe('Path(s) into the record; empty for the record itself.'),
  as: z.array(coercion).default([]).describe('Steps, in order.'),
});

const constant = z
  .strictObject({
    value: z
      .union([z.string(), z.number().transform(String)])
      .describe('What every record of the source has in this field.'),
  })
  .transform(({ value }) => ({ from: [] as string[], as: [], value }));

export const mapping = z
  .record(
    z.string(),
    z.union([
      z.string().transform((from) => ({ from, as: [] })),
      z.null().transform(() => ({ from: [] as string[], as: [] })),
      fieldMapping,
      constant,
    ]),
  )
  .describe(
    'By v1 field: where its value comes from; null if the source has no such value, { value: … } for a constant.',
  );
