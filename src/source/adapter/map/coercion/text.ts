// The steps that change texts: templates, parts of a text, labels for codes, joined texts.

import type { Json } from '../../../../kernel/json/json.ts';
import { scalarText } from '../../../../kernel/json/values.ts';
import { type StepValue, onText, type Step, UNREADABLE } from './step.ts';

/** The placeholder for the value in the template of a step. */
const PLACEHOLDER = '{value}';

/** Longer texts are not matched against a pattern of a source file, which may take more than linear time. */
const MATCH_LENGTH_MAX = 10_000;

/** The text before and after the value in a template; `undefined` if the template names the value never or twice. */
export function templateAround(
  template: string,
): { readonly before: string; readonly after: string } | undefined {
  const [before, after, ...more] = template.split(PLACEHOLDER);
  return before === undefined || after === undefined || more.length > 0 ? undefined : { before, after };
}

/** Creates the step that puts text around a value. */
export function compileTemplate(template: string): Step {
  const around = templateAround(template);
  return onText((text) => (around === undefined ? UNREADABLE : around.before + text + around.after));
}

/** Creates the step that splits a text and picks one part. A text with fewer parts is unreadable. */
export function compileSplit({ by, at }: { readonly by: string; readonly at: number }): Step {
  return onText((text) => text.split(by).at(at) ?? UNREADABLE);
}

/** Creates the step that picks the first group of a pattern. A text that does not match is unreadable. */
export function compileMatch(pattern: RegExp): Step {
  return onText((text) =>
    text.length > MATCH_LENGTH_MAX ? UNREADABLE : (pattern.exec(text)?.[1] ?? UNREADABLE),
  );
}

/** Creates the step that maps codes to labels. Other codes are unreadable. `true` and `false` are codes, too. */
export function compileEnum(table: Readonly<Record<string, string>>): Step {
  const labels = new Map(Object.entries(table));
  return (value) => {
    if (value === null) return null;
    const code = typeof value === 'boolean' ? String(value) : scalarText(value);
    return code === undefined ? UNREADABLE : (labels.get(code) ?? UNREADABLE);
  };
}

/** Creates the step that joins texts with a separator and leaves out empty ones. The items of a list are joined in its place. */
export function compileJoin(separator: string): Step {
  return (found) => {
    if (found === null) return null;
    const list: readonly StepValue[] = Array.isArray(found) ? (found as readonly Json[]) : [found];
    let hasLists = false;
    for (const value of list) hasLists ||= Array.isArray(value);
    const values = hasLists ? (list as readonly Json[]).flat() : list;
    let joined = '';
    for (const value of values) {
      const part = value === null ? '' : scalarText(value)?.trim();
      if (part === undefined) return UNREADABLE;
      if (part !== '') joined = joined === '' ? part : joined + separator + part;
    }
    return joined === '' ? null : joined;
  };
}
