import { explainRecord } from '../adapter/explain-record.ts';
import type { CoercionSpec } from '../config/source-schema.ts';
import type { CanonicalRecord } from '../contract/document.ts';
import type { Field } from '../contract/fields.ts';
import type { Json } from '../kernel/json.ts';
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
  readonly view: 'list' | 'get';
  /** Records in the replies that could be used, those left out included. */
  readonly records: number;
  /** Records without a usable id that were left out. */
  readonly dropped: number;
  readonly fields: readonly FieldQuality[];
};

/** Counts what becomes of the records of one view. Its size depends on the source file alone. */
export type ViewTally = {
  count(records: readonly CanonicalRecord[], received: number, gaps: readonly Gap[]): void;
  report(): ViewQuality;
};

type FieldTally = { null: number; missing: number; unreadable: number; readonly steps: Map<string, number> };

/** Told of every value that no step could read. */
export type OnUnreadable = (view: 'list' | 'get', field: string, found: Json | undefined) => void;

const noCodec = { toPublic: () => undefined, toNative: () => undefined };

function stepName(step: CoercionSpec): string {
  return typeof step === 'string' ? step : (Object.keys(step)[0] ?? '');
}

/** The step of a field's mapping that cannot read a value, with its number from 0. */
function failingStep(
  field: Field,
  mapping: { readonly as: readonly CoercionSpec[] },
  found: Json | undefined,
) {
  const alone = { [field.name]: { from: 'value', as: [...mapping.as] } };
  const [taken] = explainRecord(alone, [field], noCodec, { value: found ?? null });
  // A failure is the one symbol that a step can yield.
  const index = taken?.steps.findIndex(({ value }) => typeof value === 'symbol') ?? -1;
  const step = mapping.as[index];
  return step === undefined ? `no ${field.kind}` : `as[${index}] ${stepName(step)}`;
}

/** Creates the tally of one view; `undefined` where the source does not have it. */
export function createViewTally(
  view: 'list' | 'get',
  { resource, source }: CompiledSource,
  onUnreadable: OnUnreadable,
): ViewTally | undefined {
  const mapping = source.spec.resources[resource.name]?.[view]?.map;
  if (mapping === undefined) return undefined;
  const all = view === 'list' ? resource.itemFields : resource.detailFields;
  const fields = all.filter(({ kind }) => kind !== 'id');
  const tallies = new Map<string, FieldTally>(
    fields.map(({ name }) => [name, { null: 0, missing: 0, unreadable: 0, steps: new Map() }]),
  );
  const place = ['resources', resource.name, view, 'map'];
  let [seen, dropped] = [0, 0];

  function countGap({ field: name, reason, found }: Gap): void {
    const [field, tally, spec] = [all.find((one) => one.name === name), tallies.get(name), mapping?.[name]];
    // A record without an id is no gap of a field: it is left out.
    if (field === undefined || tally === undefined || spec === undefined) return;
    tally[reason] += 1;
    if (reason === 'missing') return;
    const step = failingStep(field, spec, found);
    tally.steps.set(step, (tally.steps.get(step) ?? 0) + 1);
    onUnreadable(view, name, found);
  }

  return {
    count(records, received, gaps) {
      seen += received;
      dropped += received - records.length;
      for (const [name, tally] of tallies)
        for (const record of records) if ((record[name] ?? null) === null) tally.null += 1;
      gaps.forEach(countGap);
    },
    report: () => ({
      view,
      records: seen,
      dropped,
      fields: [...tallies].map(([field, { steps, ...tally }]) => ({
        field,
        from: [mapping[field]?.from ?? []].flat(),
        line: source.yaml.problemAt([...place, field], '').line,
        ...tally,
        steps: Object.fromEntries(steps),
      })),
    }),
  };
}
