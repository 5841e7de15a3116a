// Checks the words by which operators say what an API key may do: spans, permissions, operations and tiers.

import { closest } from '../../../config/validate/closest.ts';
import type { GatewayConfig } from '../../../config/schema/gateway.ts';
import { parseDuration } from '../../../kernel/duration.ts';
import { OVERRIDE_PERMISSION } from '../../../migration/routing/origin-stage.ts';
import { ActionRefusal } from '../../api/action.ts';
import type { ActionInput } from '../../api/action-table.ts';

/** The part of a configuration that keys depend on. */
export type KeysConfig = Pick<GatewayConfig, 'auth' | 'contract' | 'limits' | 'passthrough' | 'resources'>;

/** A hundred years. */
const SPAN_MS_MAX = 36_500 * 86_400_000;

/** The milliseconds of a span such as `90d`. @throws ActionRefusal */
export function spanOf(field: string, text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms <= SPAN_MS_MAX) return ms;
  const hint = 'write a duration such as 30m, 24h or 90d';
  throw new ActionRefusal('bad_input', `${field}: ${text} is no span`, hint);
}

/** Refuses an unknown word, because it is a typing mistake. */
function refuseUnknown(what: string, words: readonly string[] | undefined, known: readonly string[]): void {
  const wrong = words?.find((word) => !known.includes(word));
  if (wrong === undefined) return;
  const near = closest(wrong, known);
  const hint = near === undefined ? '' : `did you mean ${near}? `;
  throw new ActionRefusal(
    'bad_input',
    `there is no ${what} ${wrong}`,
    `${hint}${what}s: ${known.join(', ')}`,
  );
}

/** Refuses an unknown permission, operation or tier. @throws ActionRefusal */
export function refuseUnknownTerms(
  terms: Pick<ActionInput<'keys.update'>, 'permissions' | 'tier' | 'operations'>,
  { contract, passthrough, limits, resources }: KeysConfig,
): void {
  const asked = [
    ...Array.from(
      contract.resources.values(),
      ({ name, permission }) => resources[name]?.permission ?? permission,
    ),
    ...passthrough.flatMap(({ permission }) => permission ?? []),
    OVERRIDE_PERMISSION,
  ];
  refuseUnknown('permission', terms.permissions, [...new Set(asked)]);
  const names = [
    ...contract.operations.map(({ name }) => name),
    ...passthrough.map(({ name }) => `passthrough.${name}`),
  ];
  refuseUnknown('operation', terms.operations, names);
  refuseUnknown('tier', terms.tier === undefined ? [] : [terms.tier], Object.keys(limits.tiers));
}

/** The tier of the input; without one, `standard` or the only tier. @throws ActionRefusal */
export function tierOf(tier: string | undefined, { limits }: KeysConfig): string {
  const names = Object.keys(limits.tiers);
  const chosen =
    tier ?? (names.includes('standard') ? 'standard' : names.length === 1 ? names[0] : undefined);
  if (chosen !== undefined) return chosen;
  const hint = `name one of the tiers: ${names.join(', ')}`;
  throw new ActionRefusal('bad_input', 'no tier was named, and none is called standard', hint);
}

/** A list without repetitions; `undefined` if it is empty, because then everything is allowed. */
export function restriction(words: readonly string[] | undefined): readonly string[] | undefined {
  return words === undefined || words.length === 0 ? undefined : [...new Set(words)];
}
