// Checks the operator's listener, so that nobody but operators can reach what it serves.

import { createHash } from 'node:crypto';
import type { GatewayConfig } from '../schema/gateway.ts';
import type { ReportProblem } from '../yaml/problem.ts';
import { tokenBits } from './token-bits.ts';

/** Addresses that can only be reached from the same machine. */
const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1|localhost)$/;

type NamedToken = GatewayConfig['admin']['tokens'][number];

/** The SHA-256 of a token; `undefined` if the entry has none, as with a variable that is not set. */
function digestOf({ token, hash }: Pick<NamedToken, 'token' | 'hash'>): string | undefined {
  return token === undefined ? hash : createHash('sha256').update(token.reveal()).digest('hex');
}

/** Addresses that mean all addresses of the machine. */
const EVERYWHERE = ['0.0.0.0', '::', ''];

/** Whether two listeners on the same port would conflict. */
function isSamePlace(one: string, other: string): boolean {
  const isBothLocal = LOOPBACK.test(one) && LOOPBACK.test(other);
  return one === other || isBothLocal || EVERYWHERE.includes(one) || EVERYWHERE.includes(other);
}

const BITS_MIN = 128;

/** The paths of the tokens that may have fewer than 128 bits. A token that is given only by its hash is not checked. */
export function weakTokens({ admin: { token, tokens } }: GatewayConfig): readonly (readonly PropertyKey[])[] {
  const all = [
    { path: ['admin', 'token'], secret: token },
    ...tokens.map((entry, index) => ({ path: ['admin', 'tokens', index, 'token'], secret: entry.token })),
  ];
  return all
    .filter(({ secret }) => secret !== undefined && tokenBits(secret.reveal()) < BITS_MIN)
    .map(({ path }) => path);
}

/** Checks the operator's listener: its address, and its tokens. */
export function checkAdmin({ admin, listen }: GatewayConfig, report: ReportProblem): void {
  const { host, port, token, tokens } = admin;
  // Port 0 is any free one.
  if (port !== 0 && port === listen.port && isSamePlace(host, listen.host))
    report(
      ['admin', 'port'],
      `listen.port is ${port} too, so the second of both listeners could not open`,
      'give the operator a port of its own, such as port: 9090',
    );
  const at = (index: number, key: string) => ['admin', 'tokens', index, key];
  const builtIn = token === undefined ? [] : [{ name: 'admin', token, hash: undefined }];
  tokens.forEach((entry, index) => {
    const earlier = [...builtIn, ...tokens.slice(0, index)];
    const digest = digestOf(entry);
    if (digest === undefined)
      report(
        at(index, 'token'),
        `the token "${entry.name}" is empty`,
        'write token: ${NAME}, or hash: with its SHA-256; openssl rand -hex 32 makes a good token',
      );
    if (entry.token !== undefined && entry.hash !== undefined)
      report(at(index, 'hash'), `the token "${entry.name}" is given twice`, 'keep one of token and hash');
    if (earlier.some((other) => other.name === entry.name))
      report(
        at(index, 'name'),
        `the name "${entry.name}" is taken`,
        'give each token a name of its own: the audit shows who by it',
      );
    const same = earlier.find((other) => digest !== undefined && digestOf(other) === digest);
    if (same !== undefined)
      report(
        at(index, 'token'),
        `"${same.name}" has the same token`,
        'give each a token of its own: openssl rand -hex 32',
      );
  });
  if (token !== undefined || tokens.length > 0 || LOOPBACK.test(host)) return;
  report(
    ['admin', 'host'],
    `anyone who reaches ${host} could read the metrics and purge the cache`,
    'add admin.token or admin.tokens (openssl rand -hex 32 makes a good one), or keep admin.host on 127.0.0.1',
  );
}
