// Tells each gateway of a fleet what the others say of themselves, such as their overviews and the incidents that they see.

import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { tryParseJson } from '../../kernel/json/try-parse-json.ts';
import { writeFigures } from '../redis/scripts/count-scripts.ts';

/**
 * The latest state of each gateway, without those that are older than `since` (milliseconds since the epoch). `read` returns
 * `undefined` for a value that is no state, because another version may write another shape.
 */
export function latestStates<T extends { readonly at: number }>(
  texts: readonly string[],
  read: (value: unknown) => T | undefined,
  gatewayOf: (state: T) => string,
  since: number,
): readonly T[] {
  const latest = new Map<string, T>();
  for (const text of texts) {
    const state = read(tryParseJson(text));
    if (state === undefined || state.at < since) continue;
    if (state.at >= (latest.get(gatewayOf(state))?.at ?? 0)) latest.set(gatewayOf(state), state);
  }
  return [...latest.values()];
}

const MINUTE_MS = 60_000;
const KEPT_MS = 2 * MINUTE_MS;
const GATEWAYS_MAX = 500;
/** In bytes. Longer texts are not written, and a longer text in Redis counts as damaged. */
const TEXT_MAX = 400_000;
/** How often it is logged at most that something is too long. */
const WARN_MS = 600_000;

/** For a read that failed because the key has another type and so is not Portico's: nothing. @throws every other error */
export function noneIfOther(error: unknown): readonly [] {
  if (error instanceof Error && error.message.startsWith('WRONGTYPE')) return [];
  throw error;
}

const pack = promisify<string, Buffer>(deflateRaw);
const unpack = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflateRaw);

/** `gateway`: unique among all that ever were. `now`: milliseconds since the epoch. */
export type FleetStatesDeps = {
  readonly gateway: string;
  readonly now: () => number;
  readonly log: Pick<Logger, 'warn'>;
};

/**
 * Creates the states, which are one text per gateway on one Redis, such as its overview as JSON: each gateway writes its own text,
 * and all read all. Redis has a hash for each minute, which expires, with a field for each gateway.
 */
export function createFleetStates(
  client: Pick<Redis, 'hvalsBuffer'> & Redis,
  keyOf: (minute: number) => string,
  { gateway, now, log }: FleetStatesDeps,
) {
  const keyAt = (ms: number) => keyOf(Math.floor(ms / MINUTE_MS));
  let warnedAt = -Infinity;
  function warn(bytes: number, isCut: boolean): void {
    if (now() - warnedAt < WARN_MS) return;
    warnedAt = now();
    const rest = isCut ? 'it is cut' : 'they do not hear it';
    log.warn({ bytes, max: TEXT_MAX }, `what this gateway says to the others is too long: ${rest}`);
  }
  return {
    /** Replaces the text of this gateway by the first of these versions that is short enough. Rejects if Redis fails. */
    async write(versions: Iterable<string>): Promise<void> {
      let longest = 0;
      for (const text of versions) {
        const bytes = Buffer.byteLength(text);
        longest = Math.max(longest, bytes);
        if (bytes > TEXT_MAX) continue;
        if (longest > bytes) warn(longest, true);
        await writeFigures(client, [keyAt(now())], [gateway, await pack(text), KEPT_MS, GATEWAYS_MAX]);
        return;
      }
      warn(longest, false);
    },
    /** Reads the texts of the last two minutes, own ones included; a gateway may have two. Rejects if Redis fails. */
    async read(): Promise<readonly string[]> {
      const kept = [now() - MINUTE_MS, now()].map((ms) => client.hvalsBuffer(keyAt(ms)).catch(noneIfOther));
      const texts = (await Promise.all(kept))
        .flat()
        .map((packed) => unpack(packed, { maxOutputLength: TEXT_MAX }).catch(() => undefined));
      // What cannot be unpacked is skipped.
      return (await Promise.all(texts)).flatMap((text) => (text === undefined ? [] : [text.toString()]));
    },
  };
}
