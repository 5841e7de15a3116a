import { z } from 'zod';
import { httpUrl, integer, timeLimit } from './scalars.ts';

/** More addresses of what `baseUrl` leads to. */
export const otherHosts = z.array(httpUrl).max(63).default([]);

/** Within what time a connection must stand, in milliseconds. */
export const connectTimeout = timeLimit.default(2_000);

/** When what fails is left alone, and for how long. */
export const breaker = z.strictObject({
  calls: integer(1, 1_000_000)
    .default(20)
    .describe('So many calls must have ended within `window` before any failure counts.'),
  window: timeLimit.default(10_000).describe('How far back calls are counted.'),
  failures: integer(1, 100).default(50).describe('Percent of them that must have failed.'),
  open: timeLimit
    .default(5_000)
    .describe('How long nothing is asked then; after that one call tries, and decides.'),
});

/** What may be sent again. */
export const retries = z.strictObject({
  max: integer(0, 5).default(1).describe('How often one call is sent again at most; 0 for never.'),
  budget: integer(0, 100)
    .default(10)
    .describe('Percent of calls that may be sent again; beside that, one every ten seconds.'),
});

/** When a host that fails is left out, and for how long. */
export const outliers = z
  .strictObject({
    failures: integer(1, 1_000).default(5).describe('Failures in a row by which a host is left out.'),
    time: timeLimit.default(10_000).describe('How long; the second time twice as long, and so on.'),
  })
  .prefault({})
  .describe('Of several hosts, those that fail are left out for a while: all but one at most.');

/** How hosts are asked whether they are well. */
export const health = z
  .strictObject({
    path: z.string().startsWith('/').describe('Asked by GET without a credential; 2xx is sound.'),
    interval: timeLimit.default(10_000).describe('How often.'),
    timeout: timeLimit.default(2_000).describe('How long the answer may take.'),
    failures: integer(1, 100).default(2).describe('Bad answers in a row by which a host is left out.'),
  })
  .optional()
  .describe('Of several hosts, those that are found sick are left out.');

/** The hosts of one service as a file names them. */
type NamedHosts = {
  readonly url: string;
  readonly others: readonly string[];
  readonly health: object | undefined;
  /** What the keys of `url` and `others` are called, and the path of the latter. */
  readonly names: { readonly url: string; readonly others: string; readonly at: string };
};

/** What does not fit together of the hosts of one service, for zod. */
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
  const message = `there is nobody to turn to: name further hosts in ${names.others}`;
  return [...problems, { code: 'custom' as const, path: ['health'], message }];
}
