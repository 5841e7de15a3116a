// What sources and pass-through routes have in common: hosts, breaker, retries, health checks, certificates.

import * as z from 'zod';
import { httpUrl, integer, secret, timeLimit } from '../elements/scalars.ts';

/** Further hosts of the service at `baseUrl`. */
export const otherHosts = z.array(httpUrl).max(63).default([]);

/** The time limit for opening a connection, in milliseconds. */
export const connectTimeout = timeLimit.default(2_000);

/** The circuit breaker of a source. */
export const breaker = z.strictObject({
  calls: integer(1, 1_000_000)
    .default(20)
    .describe('The fewest calls that must have ended within `window` before the breaker may open.'),
  window: timeLimit.default(10_000).describe('The time over which calls are counted.'),
  failures: integer(1, 100).default(50).describe('The percentage of failed calls that opens the breaker.'),
  open: timeLimit
    .default(5_000)
    .describe('How long no call is made then. After that one call tries, and its result decides.'),
});

/** The retries of a failed call. */
export const retries = z.strictObject({
  max: integer(0, 5).default(1).describe('The most times that one call is sent again; 0 for never.'),
  budget: integer(0, 100)
    .default(10)
    .describe(
      'A retry budget: the percentage of calls that may be retries; one more every ten seconds is free, unless this is 0.',
    ),
});

/** Outlier ejection: a host that fails several times in a row gets no calls for some time. */
export const outliers = z
  .strictObject({
    failures: integer(1, 1_000).default(5).describe('Failures in a row after which a host is left out.'),
    time: timeLimit
      .default(10_000)
      .describe('How long it is left out; twice as long the second time, and so on.'),
  })
  .prefault({})
  .describe('With several hosts: a host that fails is left out for a while, but never the last one.');

/** Active health checks of hosts. */
export const health = z
  .strictObject({
    path: z.string().startsWith('/').describe('Requested by GET without a credential; 2xx is healthy.'),
    interval: timeLimit.default(10_000).describe('How often each host is checked.'),
    timeout: timeLimit.default(2_000).describe('How long the answer may take.'),
    failures: integer(1, 100).default(2).describe('Failed checks in a row after which a host is left out.'),
  })
  .optional()
  .describe('Active health checks: with several hosts, an unhealthy one is left out.');

/** The hosts of one service, and the keys that name them in the file. */
type NamedHosts = {
  readonly url: string;
  readonly others: readonly string[];
  readonly health: object | undefined;
  /** The keys of `url` and `others` in the file, for messages, and the path of `others`. */
  readonly names: { readonly url: string; readonly others: string; readonly at: string };
};

/** Finds mistakes in the hosts of one service, as zod issues: different paths, or health checks without another host. */
export function hostProblems({ url, others, health: checked, names }: NamedHosts) {
  const { pathname } = new URL(url);
  const differing = others.flatMap((other, index) =>
    new URL(other).pathname === pathname ? [] : [[names.at, index]],
  );
  const problems = differing.map((path) => ({
    code: 'custom' as const,
    path,
    message: `expected the path of ${names.url}: the hosts of one service differ in nothing else`,
  }));
  if (checked === undefined || others.length > 0) return problems;
  const message = `there is no other host to use instead: name further hosts in ${names.others}`;
  return [...problems, { code: 'custom' as const, path: ['health'], message }];
}

/** Makes the schema of the certificates for https: a private authority to trust, and Portico's own certificate. */
export function tlsOf(service: 'source' | 'upstream') {
  return z
    .strictObject({
      ca: z.string().optional().describe(`The authority that signed the certificate of the ${service}.`),
      cert: z.string().optional().describe(`Portico's own certificate, for a ${service} that asks for one.`),
      key: secret.optional().describe('The private key of `cert`.'),
    })
    .optional()
    .describe(
      'PEM texts, such as ${file:/run/secrets/client.key}: a private authority, a client certificate.',
    );
}
