// Compiles the steps of a mapping, such as `trim` or `{ date: … }`, to functions from value to value.

import type { CoercionSpec } from '../../../../config/schema/source.ts';
import type { Decimal } from '../../../../kernel/decimal.ts';
import { JsonError, readJson } from '../../../../kernel/json/json.ts';
import { scalarText } from '../../../../kernel/json/values.ts';
import { compileCall } from './call.ts';
import { compileDate, compileDay, epoch, readDotnetDate, readIso } from './instant.ts';
import { compileNumber, readCents } from './number.ts';
import { compileEnum, compileJoin, compileMatch, compileSplit, compileTemplate } from './text.ts';
import { type CompiledStep, type StepValue, onText, type Step, UNREADABLE } from './step.ts';
import { htmlText, unescapeHtml } from './html-text.ts';
import { compileOneOf, type Literal } from '../../spec/literal.ts';
import { type Path, pathAt } from '../../spec/path.ts';
import { groupAt } from '../../spec/pattern.ts';
import { CHECKED, type SpecLocation } from '../../spec/spec-location.ts';

/** The steps with parameters: maps with the step's name as their only key. */
type Parameterized = Exclude<CoercionSpec, string>;
type StepName = Parameterized extends infer Spec ? (Spec extends unknown ? keyof Spec : never) : never;
/** The parameters of the step with a name: the distributive condition finds the member of the union that has this key. */
type Parameters<K> = Parameterized extends infer Spec
  ? Spec extends unknown
    ? K extends keyof Spec
      ? Spec[K]
      : never
    : never
  : never;

function compileNullIf(literals: readonly Literal[]): Step {
  const isUnknown = compileOneOf(literals);
  return (value) => (isUnknown(value) ? null : value);
}

/** Creates the step that parses the JSON document in a text, and finds the value at a path in it. */
function compileParseJson(find: Path): Step {
  return onText((text) => {
    try {
      return find(readJson(text)) ?? null;
    } catch (error) {
      if (error instanceof JsonError) return UNREADABLE;
      throw error;
    }
  });
}

/** Creates the step that reads an amount. It is unreadable if it is in another currency than the expected ones. */
function compileMoney(amount: Path, currency: Path, expected: readonly string[]): Step {
  return (value) => {
    if (value === null) return null;
    const document = value as Exclude<StepValue, undefined | symbol | Decimal>;
    const found = amount(document);
    if (found === undefined || found === null) return null;
    return expected.includes(scalarText(currency(document)) ?? '') ? found : UNREADABLE;
  };
}

/** The steps without parameters. */
const NAMED: Readonly<Record<Extract<CoercionSpec, string>, CompiledStep>> = {
  trim: { run: onText((text) => text.trim()), yields: 'text' },
  text: { run: onText((text) => text), yields: 'text' },
  lowercase: { run: onText((text) => text.toLowerCase()), yields: 'text' },
  uppercase: { run: onText((text) => text.toUpperCase()), yields: 'text' },
  unescape: { run: onText(unescapeHtml), yields: 'text' },
  stripHtml: { run: onText(htmlText), yields: 'text' },
  cents: { run: onText(readCents), yields: 'decimal' },
  epochSeconds: { run: epoch('seconds'), yields: 'instant' },
  epochMilliseconds: { run: epoch('milliseconds'), yields: 'instant' },
  iso8601: { run: onText(readIso), yields: 'instant' },
  dotnetDate: { run: onText(readDotnetDate), yields: 'instant' },
};

/** The compilers of steps with parameters; they report invalid parameters. */
type Compilers = {
  readonly [K in StepName]: (parameters: Parameters<K>, here: SpecLocation) => CompiledStep;
};

const COMPILERS: Compilers = {
  nullIf: (literals) => ({ run: compileNullIf(literals), yields: 'same' }),
  default: (literal) => ({ run: (value) => value ?? literal, yields: 'same' }),
  join: (separator) => ({ run: compileJoin(separator), yields: 'text' }),
  enum: (labels) => ({ run: compileEnum(labels), yields: 'text' }),
  template: (template) => ({ run: compileTemplate(template), yields: 'text' }),
  split: (spec) => ({ run: compileSplit(spec), yields: 'text' }),
  match: (pattern, here) => ({ run: compileMatch(groupAt(pattern, here)), yields: 'text' }),
  parseJson: (path, here) => ({ run: compileParseJson(pathAt(path, here)), yields: 'same' }),
  money({ amount, currency, expect }, here) {
    const find = pathAt(amount, here.at('amount'));
    const findCurrency = pathAt(currency, here.at('currency'));
    return { run: compileMoney(find, findCurrency, expect), yields: 'same' };
  },
  number: ({ decimal, group }) => ({ run: compileNumber(decimal, group), yields: 'decimal' }),
  date: ({ format, zone }) => ({ run: compileDate(format, zone), yields: 'instant' }),
  day: (zone) => ({ run: compileDay(zone), yields: 'date' }),
  call: (own) => ({ run: compileCall(own), yields: 'any' }),
};

/** Compiles one step. Every step is total: it yields a value, `null`, or `UNREADABLE`. */
export function compileStep(spec: CoercionSpec, here: SpecLocation = CHECKED): CompiledStep {
  if (typeof spec === 'string') return NAMED[spec];
  const [[name, parameters] = []] = Object.entries(spec);
  return COMPILERS[name as StepName](parameters as never, here.at(name as StepName));
}
