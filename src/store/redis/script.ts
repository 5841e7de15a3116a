import { hash } from 'node:crypto';
import type { Redis } from 'ioredis';

/** The part of a Redis client that runs scripts. */
export type ScriptRedis = Pick<Redis, 'callBuffer'>;

/** Runs a script; numbers are returned as numbers, texts as bytes. Rejects if Redis or the script fails. */
export type Script = (
  client: ScriptRedis,
  keys: readonly string[],
  args: readonly (string | number | Buffer)[],
) => Promise<unknown>;

/** Compiles a script that is sent by its digest, and in full only if the server does not know it yet. */
export function compileScript(lua: string): Script {
  const digest = hash('sha1', lua);
  return async function run(client, keys, args) {
    try {
      return await client.callBuffer('evalsha', digest, keys.length, ...keys, ...args);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return client.callBuffer('eval', lua, keys.length, ...keys, ...args);
    }
  };
}
