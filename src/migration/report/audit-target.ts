/**
 * The resource that a target of the audit is about: `users`, its operation `users.get`, or what was done with it, such as
 * `users walk`. The history in the console reads targets by the same rule.
 */
export function resourceOfTarget(target: string): string {
  return target.split(/[\s./]/, 1)[0] ?? '';
}
