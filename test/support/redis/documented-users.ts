import { readFileSync } from 'node:fs';

/** A Redis user of the README, and what it may do. */
export type RedisUser = { readonly name: string; readonly rules: readonly string[] };

/** The Redis users that the README names. */
export const redisUsers: readonly RedisUser[] = [
  ...readFileSync('README.md', 'utf8').matchAll(/^user (portico-\w+) on >secret (.+)$/gm),
].map(([, name = '', rules = '']) => ({ name, rules: rules.split(' ') }));
