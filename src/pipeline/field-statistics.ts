// Counts how fields of records were read (missing, unreadable, null), for `portico quality` and the console.

import { compileStep } from '../source/adapter/map/coercion/coerce.ts';
import { type RecordView, type ViewSpec, viewSpecOf } from '../source/adapter/map/row-fields.ts';
import { type StepValue, UNREADABLE } from '../source/adapter/map/coercion/step.ts';
import type { MissingValue, ReadRecords } from '../source/adapter/map/reply-observer.ts';
import type { CoercionSpec } from '../config/schema/source.ts';
import type { Field } from '../contract/fields.ts';
import type { Json } from '../kernel/json/json.ts';
import { isObject } from '../kernel/json/values.ts';
import type { CompiledSource } from '../source/compile-sources.ts';

/** How often a field of a view was null, missing or unreadable, in numbers of records. */
export type FieldQuality = {
  readonly field: string;
  /** Paths into the legacy record; none if the source file maps the field to nothing. */
  readonly from: readonly string[];
  /** The line of the source file that maps it. */
  readonly line: number | undefined;
  /** The records in which the field is `null`: missing, unreadable, or unknown to the source. */
  readonly null: number;
  readonly missing: number;
  readonly unreadable: number;
  /** The unreadable values by the step that could not read them, such as `as[1] cents`. */
  readonly steps: Readonly<Record<string, number>>;
};

/** How often records of one view (list, details or single record) had missing values. */
export type ViewQuality = {
  readonly view: RecordView;
  /** The records of all usable replies, including dropped records. */
  readonly records: number;
  /** Records that were dropped because they have no usable id. */
  readonly dropped: number;
  /** Replies whose total could not be read, so the rows were counted. */
  readonly totalsLost: number;
  readonly fields: readonly FieldQuality[];
};

/** How many records have `null` for a field. */
function nullsIn(records: ReadRecords, name: string): number {
  if ('tags' in records) return records.nulls?.get(name) ?? 0;
  let nulls = 0;
  for (const record of records) if ((record[name] ?? null) === null) nulls += 1;
  return nulls;
}

type FieldCounts = {
  null: number;
  missing: number;
  unreadable: number;
  readonly steps: Map<string, number>;
  readonly failedStep: (found: Json) => string;
};

/** Gets every value that could not be read; only commands use it, because it sees values of records. */
export type OnUnreadable = (view: RecordView, field: string, found: Json) => void;

/** The place of one of the first ten elements of a list. Others are not named, so there are not many counters. */
const ELEMENT = /^\[\d\](\.\w+)?$/;

function stepName(step: CoercionSpec): string {
  return typeof step === 'string' ? step : (Object.keys(step)[0] ?? '');
}

/** Compiles the function that finds the step that cannot read a value, such as `as[1] cents`. */
function compileStepFinder({ kind }: Field, steps: readonly CoercionSpec[]): (found: Json) => string {
  const compiled = steps.map((step, index) => ({
    run: compileStep(step).run,
    name: `as[${index}] ${stepName(step)}`,
  }));
  return function failedStep(found) {
    // For a list, `found` has only the unreadable element, by its place.
    const [place = ''] = kind === 'list' && isObject(found) ? Object.keys(found) : [];
    if (ELEMENT.test(place)) return `no ${kind}: ${place}`;
    let value: StepValue = found;
    for (const { run, name } of compiled) {
      value = run(value);
      if (value === UNREADABLE) return name;
    }
    return `no ${kind}`;
  };
}

/** Zero counts for each field except the id. */
function noCounts({ fields, spec }: ViewSpec): Map<string, FieldCounts> {
  const counted = fields.filter(({ kind }) => kind !== 'id');
  return new Map(
    counted.map((field) => {
      const failedStep = compileStepFinder(field, spec.map[field.name]?.as ?? []);
      return [field.name, { null: 0, missing: 0, unreadable: 0, steps: new Map(), failedStep }];
    }),
  );
}

/**
 * Creates the field statistics of one view; `undefined` if the source does not have it. Their size depends only on the source
 * file, not on the number of records.
 */
export function createViewStatistics(
  view: RecordView,
  { resource, source }: CompiledSource,
  onUnreadable: OnUnreadable = () => undefined,
) {
  const spec = source.spec.resources[resource.name];
  const viewed = spec && viewSpecOf(spec, resource, view);
  if (viewed === undefined) return undefined;
  const { map: mapping } = viewed.spec;
  const counts = noCounts(viewed);
  const place = ['resources', resource.name, ...viewed.place, 'map'];
  let [seen, dropped, totalsLost] = [0, 0, 0];

  function countMissing({ field: name, reason, found }: MissingValue): void {
    if (name === 'total') totalsLost += 1;
    const field = counts.get(name);
    // The total and the id are not counted as fields.
    if (field === undefined || reason === 'absent') return;
    field[reason] += 1;
    if (found === undefined) return;
    const step = field.failedStep(found);
    field.steps.set(step, (field.steps.get(step) ?? 0) + 1);
    onUnreadable(view, name, found);
  }

  return {
    count(records: ReadRecords, leftOut: number, missingValues: readonly MissingValue[]): void {
      seen += records.length + leftOut;
      dropped += leftOut;
      for (const [name, field] of counts) field.null += nullsIn(records, name);
      missingValues.forEach(countMissing);
    },
    report: (): ViewQuality => ({
      view,
      records: seen,
      dropped,
      totalsLost,
      fields: [...counts].map(([field, { steps, failedStep: _failedStep, ...numbers }]) => ({
        field,
        from: [mapping[field]?.from ?? []].flat(),
        line: source.yaml.problemAt([...place, field], '').line,
        ...numbers,
        steps: Object.fromEntries(steps),
      })),
    }),
  };
}
