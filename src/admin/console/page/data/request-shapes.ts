// What the API answers of single requests, callers, keys, the configuration and the audit, as far as the page reads it.

import type { Scoped } from './figure-shapes.ts';

/** A request that failed or was slow. */
export type RequestRow = {
  readonly at: string;
  readonly requestId: string;
  readonly traceId?: string;
  readonly clientRequestId?: string;
  readonly operation: string;
  readonly method: string;
  readonly status: number;
  readonly code?: string;
  readonly cache?: string;
  readonly durationMs: number;
  readonly caller?: string;
  readonly source?: string;
  readonly upstreamCalls: number;
  readonly upstreamMs: number;
  readonly slow: boolean;
  readonly process: string;
};

/** The answer of `requests`, the newest first. `notes` say what is missing in it. */
export type RequestList = Scoped & {
  readonly slowMs?: number;
  readonly notes?: readonly string[];
  readonly requests: readonly RequestRow[];
};

/** `startMs` counts from when the request came. Steps may overlap. */
export type RequestStep = {
  readonly name: string;
  readonly startMs: number;
  readonly ms: number;
  readonly detail?: string;
};

/** The story of one request. */
export type RequestStoryJson = RequestRow & {
  readonly scope: Scoped['scope'];
  readonly steps: readonly RequestStep[];
  readonly stepsLeftOut?: number;
  readonly error?: {
    readonly code: string;
    readonly reason?: string;
    readonly detail?: string;
    readonly cause?: string;
    readonly entry?: string;
  };
  readonly plan?: { readonly kind: string; readonly relies?: readonly string[]; readonly why?: string };
};

/**
 * A caller by the id that the log has. `missedMax` earlier requests at most are not counted; `windows` is what the last
 * request was told of its limits, less the time since.
 */
export type CallerRow = {
  readonly id: string;
  readonly requests: number;
  readonly clientErrors: number;
  readonly limited: number;
  readonly missedMax?: number;
  readonly lastAt: string;
  readonly windows?: readonly {
    readonly tier: string;
    readonly seconds?: number;
    readonly limit: number;
    readonly remaining: number;
    readonly resetMs: number;
  }[];
};

/** The answer of `callers`: fifty at most, those with the most requests first. */
export type CallerList = Scoped & { readonly callers: readonly CallerRow[] };

/**
 * A key without its secret; all times are instants in UTC. `secrets` is how many secrets work: two for a while after a
 * rotation.
 */
export type KeyRow = {
  readonly id: string;
  readonly label: string;
  readonly state: 'valid' | 'expired' | 'revoked';
  readonly permissions: readonly string[];
  readonly tier: string;
  readonly addresses?: readonly string[];
  readonly operations?: readonly string[];
  readonly createdAt: string;
  readonly expiresAt?: string;
  readonly revokedAt?: string;
  readonly lastUsedAt?: string;
  readonly secrets: number;
  readonly oldSecretUntil?: string;
};

/** The answer of `keys`. `damaged` are the ids of records that cannot be read. */
export type KeyList = { readonly keys: readonly KeyRow[]; readonly damaged: readonly string[] };

/** `path` is a place in the files, such as `limits.tiers.standard`, or a source: `sources.crm`. */
export type ConfigChangeRow = { readonly path: string; readonly kind: 'added' | 'removed' | 'changed' };

/**
 * The answer of `config`. `files` are those in force, with `***` for each secret; `stale` is there where newer ones were
 * refused.
 */
export type ConfigDetail = Scoped & {
  readonly rev: number;
  readonly digest: string;
  readonly stale?: { readonly since: string; readonly why: string };
  readonly processes: readonly { readonly pid: number; readonly digest: string }[];
  readonly waitingFor?: number;
  readonly files: readonly { readonly name: string; readonly text: string }[];
  readonly lastChange: readonly ConfigChangeRow[];
  readonly reloads: readonly {
    readonly at: string;
    readonly by: string;
    readonly outcome: string;
    readonly rev: number;
    readonly digest: string;
    readonly changes?: readonly ConfigChangeRow[];
    readonly problems?: readonly string[];
  }[];
};

/**
 * The answer of `config.reload`. A refusal is one, too, with status 422; `waitingFor` processes have not said yet that
 * they serve it.
 */
export type ReloadAnswer = {
  readonly kind: 'applied' | 'unchanged' | 'refused' | 'dry-run';
  readonly rev: number;
  readonly digest: string;
  readonly changes: readonly ConfigChangeRow[];
  readonly problems?: readonly string[];
  readonly waitingFor: number;
};

/** A line of the audit, once it is parsed. */
export type AuditRow = {
  readonly number: number;
  readonly at: string;
  readonly actor: string;
  readonly role?: string;
  readonly address?: string;
  readonly action: string;
  readonly target: string;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly reason?: string;
  readonly outcome?: string;
  readonly gateway: string;
};

/**
 * The answer of `audit`: lines of JSON, the oldest first, and whether the digests of the chain fit. `number` is the first
 * line that does not.
 */
export type AuditAnswer = {
  readonly lines: readonly string[];
  readonly chain:
    | { readonly kind: 'empty' }
    | { readonly kind: 'intact'; readonly first: number; readonly last: number; readonly digest: string }
    | { readonly kind: 'broken'; readonly number: number };
};

/** The lines as rows, the newest first; a line that cannot be read is left out. */
export function auditRows({ lines }: Pick<AuditAnswer, 'lines'>): readonly AuditRow[] {
  return lines
    .flatMap((line): AuditRow[] => {
      try {
        return [JSON.parse(line) as AuditRow];
      } catch {
        return [];
      }
    })
    .reverse();
}
