// The action `audit`, by which operators read who changed what: in the console, and by `portico audit`.

import { type AuditEntry, readAuditLine, verifyChain } from '../../store/audit/audit-entry.ts';
import type { AuditLog } from '../../store/audit/audit-log.ts';
import type { Clock } from '../../kernel/clock.ts';
import { parseDuration } from '../../kernel/duration.ts';
import { ActionRefusal } from '../api/action.ts';
import { type ActionHandlers, refuseIfRedisFails } from './act.ts';

/** The time that a text means: an instant, or a span before now. @throws ActionRefusal */
export function sinceOf(text: string, now: number, name = 'since'): number {
  const span = parseDuration(text);
  const instant = span === undefined ? Date.parse(text) : now - span;
  if (Number.isFinite(instant)) return instant;
  throw new ActionRefusal(
    'bad_input',
    `${name}: ${text} is no time`,
    'write 24h, 7d or 2026-01-31T00:00:00Z',
  );
}

/** Creates the action that reads the audit. No action changes a line. */
export function createAuditActions(audit: Pick<AuditLog, 'lines'>, clock: Clock): ActionHandlers {
  return {
    async audit({ since }) {
      const from = since === undefined ? -Infinity : sinceOf(since, clock.now());
      const all = await refuseIfRedisFails('keys', () => audit.lines());
      const isWanted = (entry: AuditEntry | undefined) => entry === undefined || Date.parse(entry.at) >= from;
      return { lines: all.filter((line) => isWanted(readAuditLine(line))), chain: verifyChain(all) };
    },
  };
}
