// Reports what operators have changed, and whether the audit is intact, for `portico audit`.

import type { AuditEntry, ChainState } from '../../../store/audit/audit-entry.ts';
import { singleLine } from '../../../kernel/control-characters.ts';

const textOf = (value: unknown) => (value === undefined ? '' : JSON.stringify(value));

/** What is different between two states of a thing: the names of the fields, with both values. */
function differenceOf(before: unknown, after: unknown): string {
  if (typeof before !== 'object' || typeof after !== 'object' || before === null || after === null)
    return [before === undefined ? '' : `was ${textOf(before)}`, after === undefined ? '' : textOf(after)]
      .filter((part) => part !== '')
      .join(', now ');
  const [old, young] = [before as Record<string, unknown>, after as Record<string, unknown>];
  const names = [...new Set([...Object.keys(old), ...Object.keys(young)])];
  return names
    .filter((name) => textOf(old[name]) !== textOf(young[name]))
    .map((name) => `${name}: ${textOf(old[name]) || 'none'} → ${textOf(young[name]) || 'none'}`)
    .join(', ');
}

/** Lines of the audit for people: when, who, what, and what is different. */
export function auditLines(entries: readonly AuditEntry[]): readonly string[] {
  const lines = entries.map(
    ({ number, at, actor, address, action, target, before, after, reason, outcome, gateway }) =>
      [
        ...[`#${number}`, at, actor, action, target, outcome],
        differenceOf(before, after),
        reason === undefined ? '' : `because: ${reason}`,
        address === undefined ? `(${gateway})` : `(${gateway}, asked from ${address})`,
      ]
        .map(singleLine)
        .filter((part) => part !== '')
        .join('  '),
  );
  return lines.length === 0 ? ['nothing was changed'] : lines;
}

/** Says in a sentence whether the chain of digests shows that lines of the audit were changed or removed. */
export function chainText(chain: ChainState): string {
  switch (chain.kind) {
    case 'empty':
      return 'the audit has no line';
    case 'intact': {
      const earlier = chain.first === 1 ? '' : '; earlier ones have made room';
      return `lines ${chain.first} to ${chain.last} are intact${earlier}; SHA-256 of the last: ${chain.digest}`;
    }
    case 'broken':
      return `line ${chain.number} does not fit the one before it: one of them was changed, or a line is gone; compare with the lines of the log that have "audit":true`;
  }
}
