// Checks, when a source file is compiled, that the steps of a mapping can make a value of the kind that its field has.

import type { MappingSpec } from '../../../config/schema/source.ts';
import type { Field, FieldKind } from '../../../contract/fields.ts';
import { isZone, namesWholeDate } from './coercion/instant.ts';
import type { CompiledStep, StepKind } from './coercion/step.ts';
import type { SpecLocation } from '../spec/spec-location.ts';

type FieldSpec = MappingSpec[string];

/** What the last step must yield, by the kind of the field. */
const YIELDS: Readonly<Record<FieldKind, StepKind>> = {
  id: 'text',
  text: 'text',
  integer: 'decimal',
  decimal: 'decimal',
  boolean: 'text',
  datetime: 'instant',
  date: 'date',
  enum: 'text',
  reference: 'text',
  list: 'same',
};

/** What to write if it does not. */
const HINTS: Readonly<Record<FieldKind, string>> = {
  id: 'say number or text under id.kind',
  text: 'end with trim, text, join, enum, template, split or match',
  decimal: 'end with cents or number',
  integer: 'end with cents or number',
  boolean: "end with enum, such as { enum: { Y: 'true', N: 'false' } }",
  datetime: 'end with epochSeconds, epochMilliseconds, iso8601 or date',
  date: 'end with day, such as { day: UTC }, if the source has times; else no step',
  enum: 'end with enum, trim, text, lowercase or uppercase',
  reference: 'end with trim, text, split or match',
  list: 'write the steps of its elements under `each`',
};

/** The kind of value that a chain of steps yields; if no step changes the kind, texts and numbers stay as they are. */
function chainYields(kind: FieldKind, steps: readonly CompiledStep[]): StepKind {
  const shaping = steps.map(({ yields }) => yields).filter((yields) => yields !== 'same');
  return shaping.at(-1) ?? (kind === 'datetime' ? 'same' : YIELDS[kind]);
}

function checkJoin({ from, as }: FieldSpec, here: SpecLocation): void {
  if (typeof from === 'string') return;
  const joinsAt = as.flatMap((step, index) => (typeof step === 'object' && 'join' in step ? [index] : []));
  if (joinsAt.length === 1 && joinsAt[0] === 0) return;
  here.report('several paths need one `join`, as the first step', 'from: [first, last], as: [{ join: " " }]');
}

function checkDates({ as }: FieldSpec, here: SpecLocation): void {
  for (const step of as) {
    if (typeof step === 'object' && 'day' in step && !isZone(step.day))
      here.report(`unknown zone "${step.day}"`, 'UTC, +02:00 or Europe/Berlin');
    if (typeof step !== 'object' || !('date' in step)) continue;
    const { format, zone } = step.date;
    if (!isZone(zone)) here.report(`unknown zone "${zone}"`, 'UTC, +02:00 or Europe/Berlin');
    if (!namesWholeDate(format))
      here.report(
        `the format "${format}" does not name a whole date`,
        "such as yyyy-MM-dd'T'HH:mm:ss; other letters stand in quotes",
      );
  }
}

/** Whether a field has ids that are the same as in the source of another resource (`ids: same`). */
export function hasSameIds(mapping: FieldSpec): boolean {
  return 'ids' in mapping && mapping.ids === 'same';
}

/** Checks that a chain of steps can feed its field, and reports a mismatch at its place in the source file. */
export function checkChain(
  { name, kind }: Field,
  spec: FieldSpec,
  steps: readonly CompiledStep[],
  here: SpecLocation,
): void {
  checkJoin(spec, here);
  checkDates(spec, here.at('as'));
  if (kind !== 'reference' && hasSameIds(spec))
    here
      .at('ids')
      .report(
        `${name} is ${kind}, and only a reference has the ids of a resource`,
        kind === 'list' ? 'if its elements are references: each: { ids: same }' : 'remove it',
      );
  const yields = chainYields(kind, steps);
  // A time has to be read by a step, because its canonical form alone does not show that the day exists.
  if (yields === YIELDS[kind] || (yields === 'any' && kind !== 'datetime')) return;
  here
    .at('as')
    .report(
      `yields ${yields === 'same' ? 'an undeclared format' : yields}, but ${name} is ${kind}`,
      HINTS[kind],
    );
}
