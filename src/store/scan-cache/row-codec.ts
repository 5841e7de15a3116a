import type { CanonicalRecord } from '../../contract/response-body.ts';
import type { Field, Value } from '../../contract/fields.ts';
import { Decimal } from '../../kernel/decimal.ts';

/** A record as values that JSON stores without loss, in the order of the fields. */
export type RowValues = readonly (string | boolean | null)[];

/** Serialises the records of a view without loss. */
export type RowCodec = {
  toValues(record: CanonicalRecord): RowValues;
  /** The record; `undefined` if the values are not those of one. */
  fromValues(values: unknown): CanonicalRecord | undefined;
};

const DECIMAL = /^(-?\d+)e-(\d{1,9})$/;

function readDecimal(text: string): Decimal | undefined {
  const [, digits, scale] = DECIMAL.exec(text) ?? [];
  return digits === undefined ? undefined : new Decimal(BigInt(digits), Number(scale));
}

function readValue({ kind }: Field, value: unknown): Value | undefined {
  if (value === null) return kind === 'id' ? undefined : null;
  if (kind === 'boolean') return typeof value === 'boolean' ? value : undefined;
  if (typeof value !== 'string') return undefined;
  return kind === 'decimal' || kind === 'integer' ? readDecimal(value) : value;
}

/** Compiles the codec of a view's fields. Decimals are written as `<digits>e-<scale>`, so 19.90 stays 19.90. */
export function compileRowCodec(fields: readonly Field[]): RowCodec {
  return {
    toValues: (record) =>
      fields.map(({ name }) => {
        const value = record[name] ?? null;
        return value instanceof Decimal ? `${value.digits}e-${value.scale}` : value;
      }),
    fromValues(values) {
      if (!Array.isArray(values) || values.length !== fields.length) return undefined;
      const record: Record<string, Value> = {};
      for (const [at, field] of fields.entries()) {
        const value = readValue(field, values[at]);
        if (value === undefined) return undefined;
        record[field.name] = value;
      }
      return record as CanonicalRecord;
    },
  };
}
