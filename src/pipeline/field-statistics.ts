import { compileStep } from '../adapter/map/coercion/coerce.ts';
import { type View, viewOf } from '../adapter/map/row-fields.ts';
import { type Flow, UNREADABLE } from '../adapter/map/coercion/flow.ts';
import type { CoercionSpec } from '../config/schema/source.ts';
import type { CanonicalRecord } from '../contract/document.ts';
import type { Field } from '../contract/fields.ts';
import type { Json } from '../kernel/json/json.ts';
import type { CompiledSource } from './compile-sources.ts';

/** An optional field that became `null` because it was missing or could not be read. */
export type Gap = {
  readonly field: string;
  readonly reason: 'missing' | 'unreadable';
  readonly found: Json | undefined;
};

/** How a field of a view was read. The numbers are of records. */
export type FieldQuality = {
  readonly field: string;
  /** Paths into the legacy record; none where the source file says that there is nothing of the kind. */
  readonly from: readonly string[];
  /** Where the source file maps it. */
  readonly line: number | undefined;
  /** All that are `null`: missing, unreadable, or said to be unknown by the source. */
  readonly null: number;
  readonly missing: number;
  readonly unreadable: number;
  /** The unreadable ones by the step that could not read them, such as `as[1] cents`. */
  readonly steps: Readonly<Record<string, number>>;
};

/** How the records of one view were read. */
export type ViewQuality = {
  readonly view: View;
  /** Records in the replies that could be used, those left out included. */
  readonly records: number;
  /** Records without a usable id that were left out. */
  readonly dropped: number;
  /** Replies whose total could not be read, so that the rows were counted. */
  readonly totalsLost: number;
  readonly fields: readonly FieldQuality[];
};

/** Counts what becomes of the records of one view. Its size depends on the source file alone. */
export type ViewTally = {
  count(records: readonly CanonicalRecord[], dropped: number, gaps: readonly Gap[]): void;
  report(): ViewQuality;
};

type FieldTally = {
  null: number;
  missing: number;
  unreadable: number;
  readonly steps: Map<string, number>;
  readonly blame: (found: Json) => string;
};

/** Told of every value that no step could read. */
export type OnUnreadable = (view: View, field: string, found: Json) => void;

function stepName(step: CoercionSpec): string {
  return typeof step === 'string' ? step : (Object.keys(step)[0] ?? '');
}

/** Compiles the question which step of a field cannot read a value, such as `as[1] cents`. */
function compileBlame({ kind }: Field, steps: readonly CoercionSpec[]): (found: Json) => string {
  const compiled = steps.map((step, index) => ({
    run: compileStep(step).run,
    name: `as[${index}] ${stepName(step)}`,
  }));
  return function blame(found) {
    let value: Flow = found;
    for (const { run, name } of compiled) {
      value = run(value);
      if (value === UNREADABLE) return name;
    }
    return `no ${kind}`;
  };
}

/** Creates the tally of one view; `undefined` where the source does not have it. */
export function createViewTally(
  view: View,
  { resource, source }: CompiledSource,
  onUnreadable: OnUnreadable = () => undefined,
): ViewTally | undefined {
  const spec = source.spec.resources[resource.name];
  const viewed = spec && viewOf(spec, resource, view);
  if (viewed === undefined) return undefined;
  const { map: mapping } = viewed.spec;
  const fields = viewed.fields.filter(({ kind }) => kind !== 'id');
  const tallies = new Map<string, FieldTally>(
    fields.map((field) => {
      const blame = compileBlame(field, mapping[field.name]?.as ?? []);
      return [field.name, { null: 0, missing: 0, unreadable: 0, steps: new Map(), blame }];
    }),
  );
  const place = ['resources', resource.name, ...viewed.place, 'map'];
  let [seen, dropped, totalsLost] = [0, 0, 0];

  function countGap({ field: name, reason, found }: Gap): void {
    if (name === 'total') totalsLost += 1;
    const tally = tallies.get(name);
    // Neither is a record without an id a gap of a field: it is left out.
    if (tally === undefined) return;
    tally[reason] += 1;
    if (found === undefined) return;
    const step = tally.blame(found);
    tally.steps.set(step, (tally.steps.get(step) ?? 0) + 1);
    onUnreadable(view, name, found);
  }

  return {
    count(records, leftOut, gaps) {
      seen += records.length + leftOut;
      dropped += leftOut;
      for (const [name, tally] of tallies)
        for (const record of records) if ((record[name] ?? null) === null) tally.null += 1;
      gaps.forEach(countGap);
    },
    report: () => ({
      view,
      records: seen,
      dropped,
      totalsLost,
      fields: [...tallies].map(([field, { steps, blame: _blame, ...tally }]) => ({
        field,
        from: [mapping[field]?.from ?? []].flat(),
        line: source.yaml.problemAt([...place, field], '').line,
        ...tally,
        steps: Object.fromEntries(steps),
      })),
    }),
  };
}
