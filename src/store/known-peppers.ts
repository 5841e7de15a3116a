import { createHmac } from 'node:crypto';
import type { Secret } from '../kernel/secret.ts';
import type { KeyLastUsed } from './key-last-used.ts';

/*
 * Which peppers the running processes have, beside the last uses of keys: a key that is made under another one would be accepted
 * nowhere.
 */

/** How often a process says which pepper it has, and how long that counts. */
export const PEPPER_NOTE_MS = 20_000;
const KNOWN_MS = 90_000;
const ANY = 'pepper';

/** A digest that shows whether two peppers are equal, and nothing else about them. */
export function pepperCheck(pepper: Secret): string {
  return createHmac('sha256', pepper.reveal())
    .update('portico: is it the same pepper?')
    .digest('hex')
    .slice(0, 16);
}

const nameOf = (pepper: Secret) => `${ANY}:${pepperCheck(pepper)}`;

/** Says that this process has a pepper. Rejects if Redis fails. */
export function notePepper(uses: Pick<KeyLastUsed, 'write'>, pepper: Secret, now: number): Promise<void> {
  return uses.write(new Map([ANY, nameOf(pepper)].map((name) => [name, now])));
}

/** Whether processes run, and none of them has the pepper; false also if that cannot be read. */
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
