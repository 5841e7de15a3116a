// The schema of the gateway file, `config/portico.yaml`.

import * as z from 'zod';
import type { Contract } from '../../contract/resource.ts';
import { admin, callerAuth } from './access.ts';
import { coercions, state } from './files.ts';
import { migration } from './migration.ts';
import { passthroughRoute } from './passthrough.ts';
import { perResource } from './per-resource.ts';
import { redis } from './redis.ts';
import {
  addressRange,
  bytes,
  duration,
  flag,
  integer,
  name,
  origin,
  permission,
  port,
  timeLimit,
  wholeSeconds,
  rateWindow,
} from './elements/scalars.ts';
import { telemetry, webhooks } from './telemetry.ts';

/** How long answers of a resource are kept and served. */
const operationCache = z.strictObject({
  fresh: wholeSeconds
    .default(10)
    .describe(
      'How long an answer is served without asking the source again. An answer keeps what held when it was stored: after lowering this, purge.',
    ),
  staleWhileRevalidate: wholeSeconds
    .default(0)
    .describe('How long after that it is still served, while a new one is made in the background.'),
  staleIfError: wholeSeconds.default(0).describe('How long after `fresh` it is served if the source fails.'),
  notFound: wholeSeconds.default(2).describe('How long "no such record" is remembered; 0s turns it off.'),
});

const resource = z.strictObject({
  source: name.describe('The source (a file in sources/) that holds this resource.'),
  public: flag.default(false).describe('Whether the resource may be read without a credential.'),
  permission: permission
    .optional()
    .describe('What a caller needs to read it; by default the name of the resource with :read.'),
  deadline: timeLimit.default(10_000).describe('Total time for an answer, everything included.'),
  cache: operationCache.prefault({}),
  migration: migration
    .optional()
    .describe('How the resource moves to another source, see config/docs/migrate.md.'),
});

const tier = z.strictObject({
  windows: z.array(rateWindow).min(1).max(4).describe('Every window must admit a request, e.g. "20 per 1s".'),
  onStoreFailure: z
    .enum(['open', 'closed'])
    .default('open')
    .describe('When Redis is gone: keep a local share of the limit (open) or answer 503 (closed).'),
  dryRun: flag
    .default(false)
    .describe(
      'Counts and reports what it would refuse (metrics, `wouldRefuse` in the log) and refuses nothing; callers see nothing of it.',
    ),
});

/** The shape of `config/portico.yaml`. */
export const gatewaySchema = z.strictObject({
  portico: z
    .literal(1, { error: 'this Portico reads version 1 of the format: write `portico: 1`' })
    .describe('The version of the format.'),
  workers: z
    .union([z.literal('auto'), integer(1, 64)], { error: 'expected auto, or a whole number' })
    .default(1)
    .describe(
      'Processes that serve; more than one need Redis. auto: as many as there are cores, and 1 without Redis.',
    ),
  listen: z
    .strictObject({
      host: z.string().default('0.0.0.0').describe('The address to listen on.'),
      port: port.default(8080).describe('0 takes any free port.'),
      trustProxy: z
        .union([z.literal(false), integer(1, 10), z.array(addressRange).min(1)], {
          error: 'expected false, a number of proxies from 1 to 10, or a list of their addresses and ranges',
        })
        .default(false)
        .describe('How many proxies stand in front, or their CIDR ranges; `true` is not accepted.'),
      connectionsMax: integer(1, 1_000_000)
        .default(10_000)
        .describe('Connections beyond are closed at once; of each worker.'),
      drain: duration
        .default(1_500)
        .describe('How long the gateway keeps serving after SIGTERM while balancers take note.'),
    })
    .prefault({}),
  admin: admin
    .prefault({})
    .describe("The operator's listener: health, metrics, and what operators do while the gateway runs."),
  log: z
    .strictObject({
      level: z
        .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'])
        .default('info')
        .describe(
          'The least important lines that are written. debug: the line of a request also has the `path` where no route has it (without the query, 200 characters at most), and `plan`, `dependsOn` and `why`: how its source was asked. Such a path is what a caller wrote, and may hold personal data; no other path, no query, body or header is ever logged.',
        ),
    })
    .prefault({}),
  telemetry: telemetry.prefault({}).describe('Traces.'),
  webhooks,
  redis: redis.prefault({}),
  auth: callerAuth.prefault({}),
  limits: z
    .strictObject({
      tiers: z
        .record(name, tier)
        .default({
          standard: {
            windows: [
              { points: 20, seconds: 1 },
              { points: 600, seconds: 60 },
            ],
            onStoreFailure: 'open',
            dryRun: false,
          },
        })
        .describe('The windows of each tier; a refused request is charged to none.'),
      anonymousTier: name
        .default('standard')
        .describe('The tier of callers of public resources, counted by address.'),
      failedCredentials: rateWindow
        .default({ points: 120, seconds: 60 })
        .describe(
          'How many wrong credentials an address may try, over all processes; and how many of one key may be tried, in each.',
        ),
    })
    .prefault({}),
  cache: z
    .strictObject({
      localBytes: bytes
        .default(64 * 1024 ** 2)
        .describe('Bound of the cache level in memory, in each worker.'),
      localSeconds: wholeSeconds
        .default(5)
        .describe('How long the local level may serve a body before Redis is asked again.'),
      jitter: integer(0, 50)
        .default(10)
        .describe(
          'Freshness ends early by a random share of up to this percentage, so that answers do not all expire at once.',
        ),
      compression: z
        .enum(['auto', 'off'])
        .default('auto')
        .describe(
          'auto: cached bodies of 1 KiB or more are compressed (br, gzip) once, in the background, after the first caller that accepts it. off: never.',
        ),
    })
    .prefault({}),
  overload: z
    .strictObject({
      eventLoopDelayMax: duration
        .default(50)
        .describe(
          'Load shedding: how long requests may wait in a busy process before some new ones are refused at once (503 `overloaded`); half as long for clients that ask again at once.',
        ),
      inFlightMax: integer(1, 1_000_000)
        .default(1_000)
        .describe(
          'The most requests in flight, of each operation or pass-through route, in each worker; those beyond are refused (503 `overloaded`).',
        ),
    })
    .prefault({}),
  contract: z
    .union([
      z
        .string()
        .transform((file) => ({ file, limitOverflow: undefined }))
        .describe('The contract file alone.'),
      z.strictObject({
        file: z
          .string()
          .optional()
          .describe(
            'The contract file, from the folder of this file; by default contract.yaml, if there is one.',
          ),
        limitOverflow: z
          .enum(['reject', 'clamp'])
          .optional()
          .describe(
            'A `limit` above the largest is 400 (reject, the default) or means the largest (clamp). The contract file may say it as pages.overflow.',
          ),
      }),
    ])
    .prefault({})
    .describe('The contract file, or what this gateway says of the contract.'),
  coercions,
  docs: flag
    .default(true)
    .describe(
      'Whether the public listener serves the API page at `/docs`: for the people who call the API, without a credential. A pass-through route of that path takes its place.',
    ),
  reload: z
    .enum(['asked', 'watch'])
    .default('asked')
    .describe(
      'When changed files are put in force: asked, by SIGHUP, `portico reload` or `POST /api/config/reload`; watch, also by themselves.',
    ),
  state: state.prefault({}),
  errors: z
    .strictObject({
      serverStatus: z
        .enum(['precise', 'contract'])
        .default('precise')
        .describe('precise: 500, 502, 503 and 504. contract: 500 for all of them; the codes stay.'),
    })
    .prefault({}),
  cors: z
    .strictObject({
      origins: z.array(origin).min(1).describe('Exact origins, such as https://app.example; no wildcards.'),
      maxAge: wholeSeconds.default(600).describe('How long a browser may remember a preflight.'),
    })
    .optional()
    .describe('Absent: no CORS headers at all.'),
  resources: perResource(resource),
  passthrough: z.array(passthroughRoute).default([]),
});

/**
 * `portico.yaml` as it was parsed: defaults are filled in, durations are milliseconds (or seconds, if their schema is
 * `wholeSeconds`), sizes are bytes, secrets are `Secret`. `validate/cross-check.ts` checks that the names in it exist.
 */
export type GatewayFile = z.infer<typeof gatewaySchema>;

/** The gateway file with its compiled contract. */
export type GatewayConfig = Omit<GatewayFile, 'contract'> & { contract: Contract };

/** An entry of `resources` with its defaults: `deadline` in milliseconds, the times of `cache` in seconds. */
export type ResourceConfig = z.infer<typeof resource>;

/** The path of the API page on the public listener. */
export const API_PAGE_PATH = '/docs';

/** The index of the pass-through route that has the path of the API page; -1 if none has. */
export function apiPageRoute({ passthrough }: Pick<GatewayConfig, 'passthrough'>): number {
  return passthrough.findIndex(({ path }) => path === API_PAGE_PATH);
}

/** Whether the API page is served: it is on, and no pass-through route has its path. */
export function isApiPageServed(gateway: Pick<GatewayConfig, 'docs' | 'passthrough'>): boolean {
  return gateway.docs && apiPageRoute(gateway) === -1;
}
