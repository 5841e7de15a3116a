import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { Redis } from 'ioredis';
import { tryParseJson } from '../../kernel/json/try-parse-json.ts';
import { writeFigures } from '../redis/scripts/count-scripts.ts';

/** What each gateway on one Redis last said of itself. */
export type FleetStates = {
  /** Says it, in place of what this gateway said before. Rejects if Redis fails. */
  readonly write: (text: string) => Promise<void>;
  /** What all gateways said within two minutes, this one included; of one that has said two things, both. Rejects if Redis fails. */
  readonly read: () => Promise<readonly string[]>;
};

/**
 * The latest state of each gateway that said one since a moment. `read` gives `undefined` for a value that is none: who can
 * write to Redis can write anything, and another version writes in another shape.
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

const SLOT_MS = 60_000;
const KEPT_MS = 2 * SLOT_MS;
const GATEWAYS_MAX = 500;
/** Longer ones are not written, and a longer one in Redis is damaged. */
const TEXT_MAX = 400_000;

/** What is read where a key has another type, and so is none of ours: nothing. @throws every other error */
export function noneIfOther(error: unknown): readonly [] {
  if (error instanceof Error && error.message.startsWith('WRONGTYPE')) return [];
  throw error;
}

const pack = promisify<string, Buffer>(deflateRaw);
const unpack = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflateRaw);

/** Creates the states: a hash for each minute, with a field for each gateway, that ends by itself. */
export function createFleetStates(
  client: Pick<Redis, 'hvalsBuffer'> & Redis,
  keyOf: (minute: number) => string,
  { gateway, now }: { readonly gateway: string; readonly now: () => number },
): FleetStates {
  const keyAt = (ms: number) => keyOf(Math.floor(ms / SLOT_MS));
  return {
    async write(text) {
      if (text.length > TEXT_MAX) return;
      await writeFigures(client, [keyAt(now())], [gateway, await pack(text), KEPT_MS, GATEWAYS_MAX]);
    },
    async read() {
      const slots = [now() - SLOT_MS, now()].map((ms) => client.hvalsBuffer(keyAt(ms)).catch(noneIfOther));
      const texts = (await Promise.all(slots))
        .flat()
        .map((packed) => unpack(packed, { maxOutputLength: TEXT_MAX }).catch(() => undefined));
      // What cannot be unpacked is skipped.
      return (await Promise.all(texts)).flatMap((text) => (text === undefined ? [] : [text.toString()]));
    },
  };
}
