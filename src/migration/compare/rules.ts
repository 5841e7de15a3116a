// Applies the rules of a migration (from its configuration, or added by operators) by which some differences do not count.

import type { MigrationConfig } from '../../config/schema/migration.ts';
import { Decimal } from '../../kernel/decimal.ts';
import type { RuntimeRule } from '../state/migration-state.ts';
import type { ComparedValue, AnswerDifference } from './comparison.ts';
import { hintOf } from './hint.ts';

type TolerateRule = MigrationConfig['compare']['tolerate'][number];
type TextStep = NonNullable<TolerateRule['text']>[number];

const TEXT_STEPS: Record<TextStep, (text: string) => string> = {
  trim: (text) => text.trim(),
  nfc: (text) => text.normalize('NFC'),
  case: (text) => text.toLowerCase(),
};

/** Whether a rule applies to a path. A rule for `data.profile` also applies to `data.profile.bio`. */
function isAbout(rule: Pick<RuntimeRule, 'path' | 'until'>, path: string, now: number): boolean {
  return (
    rule.until > now &&
    (path === rule.path || (path.startsWith(rule.path) && /^[.[]/.test(path.slice(rule.path.length))))
  );
}

const decimalOf = (value: ComparedValue | undefined): Decimal | undefined =>
  typeof value === 'number' ? Decimal.parseJson(String(value)) : value instanceof Decimal ? value : undefined;

const absolute = ({ digits, scale }: Decimal) => new Decimal(digits < 0n ? -digits : digits, scale);

function distance(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  const digits = ({ digits: own, scale: from }: Decimal) => own * 10n ** BigInt(scale - from);
  return absolute(new Decimal(digits(a) - digits(b), scale));
}

function product(a: Decimal, b: Decimal): Decimal {
  return new Decimal(a.digits * b.digits, a.scale + b.scale);
}

/** Whether two numbers are near enough. It does not use binary floats, so 19.99 and 20.00 are exactly 0.01 apart. */
function isNear(
  rule: TolerateRule,
  legacy: ComparedValue | undefined,
  newValue: ComparedValue | undefined,
): boolean {
  const [a, b] = [decimalOf(legacy), decimalOf(newValue)];
  if (a === undefined || b === undefined) return false;
  const [abs, rel] = [decimalOf(rule.abs), decimalOf(rule.rel)];
  const apart = distance(a, b);
  const larger = absolute(a).compare(absolute(b)) > 0 ? absolute(a) : absolute(b);
  const isWithinAbs = abs !== undefined && apart.compare(abs) <= 0;
  return isWithinAbs || (rel !== undefined && apart.compare(product(rel, larger)) <= 0);
}

function isTolerated(rule: TolerateRule, { kind, legacy, new: newValue }: AnswerDifference): boolean {
  if (kind !== 'value' && kind !== 'total') return false;
  if (isNear(rule, legacy, newValue)) return true;
  if (typeof legacy !== 'string' || typeof newValue !== 'string') return false;
  if (Math.abs(Date.parse(legacy) - Date.parse(newValue)) < (rule.precision ?? 0)) return true;
  const plain = (text: string) => (rule.text ?? []).reduce((before, step) => TEXT_STEPS[step](before), text);
  return plain(legacy) === plain(newValue);
}

/** Whether the hint of a rule fits a difference, so that a rule for trailing zeros does not hide wrong cents at the same path. */
const isHinted = ({ hint }: RuntimeRule, { legacy, new: newValue }: AnswerDifference) =>
  hint === undefined || hint === hintOf(legacy, newValue);

/**
 * Compiles the rules of the configuration file to a function that decides whether a difference is accepted. It is if a rule that
 * has not expired accepts it, or if only records with equal sort keys have changed places. `kept` are the rules that operators
 * added while the gateway runs; `now` is in milliseconds since the epoch.
 */
export function compileDifferenceRules({ ignore, tolerate }: MigrationConfig['compare']) {
  return (difference: AnswerDifference, kept: readonly RuntimeRule[], now: number): boolean =>
    difference.kind === 'tie_order' ||
    ignore.some((rule) => isAbout(rule, difference.path, now)) ||
    kept.some((rule) => isAbout(rule, difference.path, now) && isHinted(rule, difference)) ||
    tolerate.some((rule) => isAbout(rule, difference.path, now) && isTolerated(rule, difference));
}
