import { readFileSync } from 'node:fs';

/** A Redis user of config/docs/operate.md, and what it may do. */
export type RedisUser = { readonly name: string; readonly rules: readonly string[] };

/** The Redis users that config/docs/operate.md names. */
export const redisUsers: readonly RedisUser[] = [
  ...readFileSync('config/docs/operate.md', 'utf8').matchAll(/^user (portico-\w+) on >secret (.+)$/gm),
].map(([, name = '', rules = '']) => ({ name, rules: rules.split(' ') }));
