// Notes which pepper each running process has. A key made with another pepper would be accepted nowhere, so nobody may
// make one. The notes stand in Redis beside the last uses of keys.

import { createHmac } from 'node:crypto';
import type { Secret } from '../kernel/secret.ts';
import type { KeyLastUsed } from './key-last-used.ts';

/** How often a process notes which pepper it has, in milliseconds. */
export const PEPPER_NOTE_MS = 20_000;
/** How long a note counts. */
const KNOWN_MS = 90_000;
/** The name under which every process notes, whichever pepper it has. */
const ANY = 'pepper';

/** A digest of a pepper. It shows only whether two peppers are equal. */
export function pepperCheck(pepper: Secret): string {
  return createHmac('sha256', pepper.reveal())
    .update('portico: is it the same pepper?')
    .digest('hex')
    .slice(0, 16);
}

const nameOf = (pepper: Secret) => `${ANY}:${pepperCheck(pepper)}`;

/** Notes that this process has a pepper; `now` is in ms since the epoch. Rejects if Redis fails. */
export function notePepper(uses: Pick<KeyLastUsed, 'write'>, pepper: Secret, now: number): Promise<void> {
  return uses.write(new Map([ANY, nameOf(pepper)].map((name) => [name, now])));
}

/** Whether processes run, but none of them has this pepper. False, too, if Redis fails. */
export async function isForeignPepper(
  uses: Pick<KeyLastUsed, 'read'>,
  pepper: Secret,
  now: number,
): Promise<boolean> {
  const own = nameOf(pepper);
  const found = await uses.read([ANY, own]).catch(() => new Map<string, number>());
  const isRecent = (name: string) => now - (found.get(name) ?? -Infinity) < KNOWN_MS;
  return isRecent(ANY) && !isRecent(own);
}
