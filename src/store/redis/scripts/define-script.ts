// Defines Lua scripts for Redis with named keys and arguments, and sends them by their digest once the server knows them.

import { hash } from 'node:crypto';
import type { Redis } from 'ioredis';

/** The part of a Redis client that runs scripts. */
export type ScriptRedis = Pick<Redis, 'callBuffer'>;

type Argument = string | number | Buffer;

/** Runs a script; numbers are returned as numbers, texts as bytes. Rejects if Redis or the script fails. */
type Script = (client: ScriptRedis, keys: readonly string[], args: readonly Argument[]) => Promise<unknown>;

/** Runs a script that is always sent in full; its texts are returned as texts. Rejects if Redis or the script fails. */
type WholeScript = (
  client: Pick<Redis, 'eval'>,
  keys: readonly string[],
  args: readonly Argument[],
) => Promise<unknown>;

/** A template literal of Lua, with numbers and further Lua in its placeholders. */
type Lua = [template: TemplateStringsArray, ...values: (string | number)[]];

/** The keys of a script by their names in it, in order, with their types. The type of an `any` key is not checked. */
type KeyTypes = Readonly<Record<string, 'any' | 'string' | 'hash' | 'set' | 'zset' | 'list'>>;

/**
 * Lua that deletes a key of Portico's if it has another type, because commands on it would fail for ever. It writes nothing if
 * the type is right, because a full Redis no longer refuses a script that has written once. `key` is its name in the script.
 */
export function deleteIfOtherType(key: string, type: KeyTypes[string]): string {
  return `do
  local found = redis.call('type', ${key}).ok
  if found ~= '${type}' and found ~= 'none' then redis.call('del', ${key}) end
end`;
}

/** The full text of a script: it names the keys and arguments, checks the types of the keys, and then runs `lua`. */
function textOf(keys: KeyTypes, args: string, lua: string): string {
  const names = (table: string, all: readonly string[]) =>
    all.map((name, index) => `local ${name} = ${table}[${index + 1}]`);
  const typed = Object.entries(keys).filter(([, type]) => type !== 'any');
  const types = typed.map(([name, type]) => deleteIfOtherType(name, type));
  return [...names('KEYS', Object.keys(keys)), ...names('ARGV', args.split(', ')), ...types, lua.trim()].join(
    '\n',
  );
}

/**
 * Defines a script by its keys, the names of its arguments (such as `token, ms`), and its Lua. A client sends the script in full
 * once and later only its digest, unless the server has forgotten the script.
 */
export const defineScript =
  (keys: KeyTypes, args: string) =>
  (...lua: Lua): Script => {
    const text = textOf(keys, args, String.raw(...lua));
    const digest = hash('sha1', text);
    const sentTo = new WeakSet<ScriptRedis>();
    const sendWhole: Script = (client, names, values) =>
      client.callBuffer('eval', text, names.length, ...names, ...values);
    return async function run(client, names, values) {
      if (!sentTo.has(client)) {
        sentTo.add(client);
        return sendWhole(client, names, values);
      }
      try {
        return await client.callBuffer('evalsha', digest, names.length, ...names, ...values);
      } catch (error) {
        if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
        return sendWhole(client, names, values);
      }
    };
  };

/** Defines a script that is always sent in full, because the Redis users of these keys have no right to EVALSHA. */
export const defineWholeScript =
  (keys: KeyTypes, args: string) =>
  (...lua: Lua): WholeScript => {
    const text = textOf(keys, args, String.raw(...lua));
    return (client, names, values) => client.eval(text, names.length, ...names, ...values);
  };
