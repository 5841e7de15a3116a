// The lines of the audit (who changed what), and the chain of digests that shows if somebody changed a line later.

import { hash } from 'node:crypto';

/** What somebody changed, as the code that carried it out reports it. It must hold no secret and no hash of a secret. */
export type AuditChange = {
  /** Who asked for the change: the name of a token, `local`, `signal`, `watch`, `reload`, `judge`, or `command:<user>`. */
  readonly actor: string;
  /** The role of the token, and the address that asked; absent if no token and no address asked. */
  readonly role?: string | undefined;
  readonly address?: string | undefined;
  /** When it happened, as an instant in UTC; absent: now. */
  readonly at?: string;
  /** What was asked for, such as `keys.revoke`. */
  readonly action: string;
  /** What was changed, such as the id of a key. */
  readonly target: string;
  readonly before?: unknown;
  readonly after?: unknown;
  /** The reason that the operator gave, as text. */
  readonly reason?: string | undefined;
  /** `done`, or what went wrong. */
  readonly outcome: string;
};

/** A line of the audit: a change with its place in the chain. */
export type AuditEntry = AuditChange & {
  /** The number of the line, counted from 1 over all gateways on one Redis. */
  readonly number: number;
  /** When the change happened, as an instant in UTC. */
  readonly at: string;
  /** The process that carried out the change. */
  readonly gateway: string;
  /** The digest of the line before; empty for the first. */
  readonly previous: string;
};

/** A change with its time and its process, before it has a place in the chain. */
export type UnchainedEntry = Omit<AuditEntry, 'number' | 'previous'>;

/** A line is a few hundred bytes; a longer one is cut, so that the audit as a whole is bounded. */
const LINE_CHARS_MAX = 4_096;

/** The SHA-256 of a line in hex, as the next line carries it in `previous`. */
export function lineDigest(line: string): string {
  return hash('sha256', line, 'hex');
}

/** The JSON text of an entry; if it is too long, without `before` and `after`. */
function lineOf(entry: AuditEntry): string {
  const text = JSON.stringify(entry);
  if (text.length <= LINE_CHARS_MAX) return text;
  return JSON.stringify({ ...entry, before: undefined, after: undefined, isCut: true });
}

/** Parses a line; `undefined` if the text is no entry. */
export function readAuditLine(line: string): AuditEntry | undefined {
  try {
    const value = JSON.parse(line) as Partial<AuditEntry> | null;
    const isEntry =
      Number.isInteger(value?.number) &&
      [value?.at, value?.gateway, value?.actor, value?.action, value?.target, value?.previous].every(
        (text) => typeof text === 'string',
      );
    return isEntry ? (value as AuditEntry) : undefined;
  } catch {
    return undefined;
  }
}

/** The line that appends an entry to the chain. `last` is the last line so far; empty if there is none. */
export function chainedLine(last: string, entry: UnchainedEntry): string {
  const number = (readAuditLine(last)?.number ?? 0) + 1;
  const { at, gateway, ...change } = entry;
  return lineOf({ number, at, gateway, ...change, previous: last === '' ? '' : lineDigest(last) });
}

/** The result of a check of the chain. `first`, `last` and `number` are numbers of lines. */
export type ChainState =
  | { readonly kind: 'empty' }
  /** Every line carries the digest of the one before. The lines before `first` are no longer kept. */
  | { readonly kind: 'intact'; readonly first: number; readonly last: number; readonly digest: string }
  /** The line at `number` does not fit the line before it: one of the two was changed, or a line between them is gone. */
  | { readonly kind: 'broken'; readonly number: number };

/** Checks that no kept line was changed, left out or put in. It cannot show that the last lines were cut off. */
export function verifyChain(lines: readonly string[]): ChainState {
  const entries = lines.map(readAuditLine);
  for (const [index, entry] of entries.entries()) {
    const before = entries[index - 1];
    const isNext = index === 0 || entry?.number === (before?.number ?? 0) + 1;
    const fits = index === 0 || entry?.previous === lineDigest(lines[index - 1] ?? '');
    if (entry === undefined || !isNext || !fits)
      return { kind: 'broken', number: entry?.number ?? (before?.number ?? 0) + 1 };
  }
  const [first, last] = [entries[0], entries.at(-1)];
  if (first === undefined || last === undefined) return { kind: 'empty' };
  return { kind: 'intact', first: first.number, last: last.number, digest: lineDigest(lines.at(-1) ?? '') };
}
