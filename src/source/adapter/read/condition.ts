// Compiles the conditions of a source file on documents (`at` with `equals`, `matches` or `present`), for outcome rules and
// for `dropWhen`.

import type { ConditionSpec } from '../../../config/schema/source.ts';
import type { Json } from '../../../kernel/json/json.ts';
import { scalarText } from '../../../kernel/json/values.ts';
import { compileOneOf } from '../spec/literal.ts';
import { pathAt } from '../spec/path.ts';
import { patternAt } from '../spec/pattern.ts';
import type { SpecLocation } from '../spec/spec-location.ts';

/** Compiles the test of a value: one of some literals, a pattern, or presence; `undefined` if the condition has no test. */
function compileValueTest(
  spec: ConditionSpec,
  here: SpecLocation,
): ((value: Json | undefined) => boolean) | undefined {
  if (spec.equals !== undefined)
    return compileOneOf(Array.isArray(spec.equals) ? spec.equals : [spec.equals]);
  if (spec.matches !== undefined) {
    const pattern = patternAt(spec.matches, here.at('matches'));
    return (value) => {
      const text = scalarText(value);
      return text !== undefined && pattern.test(text);
    };
  }
  if (spec.present === undefined) return undefined;
  return (value) => (value !== undefined && value !== null) === spec.present;
}

/** Compiles a condition; `undefined` if it has neither a path nor a test. A condition with only one of them is reported. */
export function compileCondition(
  spec: ConditionSpec,
  here: SpecLocation,
): ((document: Json | undefined) => boolean) | undefined {
  const test = compileValueTest(spec, here);
  if (spec.at === undefined || test === undefined) {
    if (spec.at !== undefined || test !== undefined)
      here.report('`at` and one of `equals`, `matches` and `present` belong together', 'at: rc, equals: 0');
    return undefined;
  }
  const find = pathAt(spec.at, here.at('at'));
  return (document) => document !== undefined && test(find(document));
}
