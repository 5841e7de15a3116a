// Prepares what `explain --live` found for display: secrets and, unless asked for, values are `***`.

import type { FieldProvenance } from '../../source/adapter/map/explain-record.ts';
import { type StepValue, UNREADABLE } from '../../source/adapter/map/coercion/step.ts';
import { type RecordView, viewSpecOf } from '../../source/adapter/map/row-fields.ts';
import type { CoercionSpec } from '../../config/schema/source.ts';
import type { Value } from '../../contract/fields.ts';
import { ListValue } from '../../contract/list-value.ts';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import { fault, type GatewayError, publicStatus } from '../../kernel/errors/fault.ts';
import { Decimal } from '../../kernel/decimal.ts';
import { NumberText } from '../../kernel/json/json.ts';
import type { CompiledResource } from '../../source/compile-sources.ts';
import type { SourceAnswer } from '../../pipeline/stages/call.ts';
import type { PlacedClaim } from './explain-plan.ts';
import { MASK } from '../../kernel/secret.ts';

/** A call that was made for a query, as it may be displayed. */
export type DisplayedLiveCall = {
  readonly method: string;
  readonly url: string;
  readonly status?: number;
  readonly ms: number;
  readonly rows?: number;
  /** The outcome rule that decided; `null` if none fits. */
  readonly outcome?: { readonly is: string; readonly file: string; readonly line: number | undefined } | null;
  readonly problem?: string;
};

/** How a field was made, and the view that it was read from. */
export type ViewedField = FieldProvenance & { readonly view: RecordView };

/** How a field of the first record was read. Values are `***` unless the operator asked for them. */
export type DisplayedField = {
  readonly field: string;
  readonly from: readonly string[];
  readonly line: number | undefined;
  readonly found: unknown;
  readonly steps: readonly { readonly step: string; readonly value: unknown }[];
  readonly value: unknown;
  readonly state: FieldProvenance['state'];
};

/** What came of a query that was answered from the live source, as it may be displayed. */
export type DisplayedLive = {
  readonly calls: readonly DisplayedLiveCall[];
  readonly answer: {
    readonly status: number;
    readonly code?: string;
    readonly detail?: string;
    readonly total?: number;
    readonly records?: number;
  };
  /** Claims that replies contradicted; the answer was then made without them. */
  readonly contradicted: readonly PlacedClaim[];
  /** How often fields became `null` because they were missing or unreadable, by `field reason`. */
  readonly missingValues: Readonly<Record<string, number>>;
  /** How the first record of the answer was made; absent if the answer has no record. */
  readonly record?: readonly DisplayedField[];
};

/** A step as the file has it; of an enum, the number of codes. */
function stepText(step: CoercionSpec): string {
  if (typeof step === 'string') return step;
  if ('enum' in step) return `enum of ${Object.keys(step.enum).length} codes`;
  return Object.entries(step)
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
    .join(' ');
}

function displayValue(value: StepValue | Value, showValues: boolean): unknown {
  if (value === UNREADABLE) return 'unreadable';
  if (value === null || value === undefined) return value;
  if (!showValues) return MASK;
  if (value instanceof NumberText) return value.text;
  return value instanceof Decimal || value instanceof ListValue ? value.toString() : value;
}

/** An answer without its records. */
export function displayAnswer(
  answer: SourceAnswer | GatewayError,
  gateway: GatewayConfig,
): DisplayedLive['answer'] {
  const error = answer instanceof Error ? answer : answer.found ? undefined : fault('not_found');
  if (error !== undefined) {
    const status = publicStatus(error, gateway.errors.serverStatus);
    return { status, code: error.code, ...(error.detail !== undefined && { detail: error.detail }) };
  }
  const { body } = answer as Extract<SourceAnswer, { found: true }>;
  const { data, meta } = JSON.parse(body.toString()) as { data: unknown; meta?: { total: number } };
  return { status: 200, records: [data].flat().length, ...(meta && { total: meta.total }) };
}

/** How a field was made. */
export function displayField(
  field: ViewedField,
  { compiled, showValues }: { readonly compiled: CompiledResource; readonly showValues: boolean },
): DisplayedField {
  const { source, resource } = compiled;
  const spec = source.spec.resources[resource.name];
  const below = spec === undefined ? [] : (viewSpecOf(spec, resource, field.view)?.place ?? []);
  const place = ['resources', resource.name, ...below, 'map', field.field];
  return {
    field: field.field,
    from: field.from,
    line: source.yaml.problemAt(place, '').line,
    found: displayValue(field.found, showValues),
    steps: field.steps.map(({ step, value }) => ({
      step: stepText(step),
      value: displayValue(value, showValues),
    })),
    value: displayValue(field.value, showValues),
    state: field.state,
  };
}
