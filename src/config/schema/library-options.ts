// Checks what a host hands to the library: its options, and the callers that it has authenticated itself.

import * as z from 'zod';
import { name, permission } from './elements/scalars.ts';
import type { Problem } from '../yaml/problem.ts';

const hasMethods = (names: readonly string[]) =>
  z.custom(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      names.every((name) => typeof Reflect.get(value, name) === 'function'),
    { error: `expected an object with the methods ${names.join(', ')}` },
  );

const sections = z.record(z.string(), z.unknown());
const options = z.strictObject({
  config: z.union(
    [
      z.string().min(1),
      z.strictObject({
        gateway: sections,
        contract: sections.optional(),
        sources: z.record(z.string(), sections),
      }),
    ],
    { error: 'expected the path of the gateway file, or an object { gateway, contract?, sources }' },
  ),
  env: z.record(z.string(), z.string().optional()).optional(),
  logger: hasMethods(['isLevelEnabled', 'debug', 'info', 'warn', 'error']).optional(),
  clock: hasMethods(['now', 'monotonic']).optional(),
  docs: z.boolean().optional(),
  authenticate: z.custom((value) => typeof value === 'function', { error: 'expected a function' }).optional(),
  exclusive: z.boolean().optional(),
});

/** A caller whom a host has authenticated. */
export const hostPrincipal = z.strictObject({
  id: z.string().regex(/^[\x21-\x7e]{1,128}$/, 'expected 1 to 128 visible ASCII characters, without spaces'),
  permissions: z.array(permission).max(1_000),
  tier: name.optional(),
  operations: z.array(z.string()).max(1_000).optional(),
});

/** The problems of the options of the library; none if they are usable. */
export function optionProblems(given: unknown): readonly Problem[] {
  const { error } = options.safeParse(given);
  const issues = error?.issues ?? [];
  return issues.map(({ path, message }) => ({ file: 'createPortico', path: path.join('.'), message }));
}
