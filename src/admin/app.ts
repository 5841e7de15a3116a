import type { RequestListener } from 'node:http';
import express, { type NextFunction, type Request, type Response } from 'express';
import type { Secret } from '../kernel/secret.ts';
import type { ClaimSelection } from '../store/fallen-claims.ts';
import { createAdminGuard } from './guard.ts';

/** The state of one dependency of the gateway. */
export type CheckResult = {
  readonly name: string;
  readonly ready: boolean;
  /** Whether the gateway is not ready without it. */
  readonly needed: boolean;
};

/** What the operator's listener needs. */
export type AdminDeps = {
  readonly checks: () => readonly CheckResult[] | Promise<readonly CheckResult[]>;
  /** Whether the gateway is draining. */
  readonly draining: () => boolean;
  readonly metrics: { readonly text: () => Promise<string>; readonly contentType: string };
  /** The data-quality report of each source, as JSON. */
  readonly quality: () => unknown;
  /** Purges everything with a tag from the caches of all processes. Rejects if Redis fails. */
  readonly purge: (tag: string) => Promise<void>;
  /** The claims that have fallen, and how they are believed again in all processes; rejects if Redis fails. */
  readonly claims: {
    readonly list: () => unknown;
    readonly reset: (selection: ClaimSelection) => Promise<unknown>;
  };
  /** The token for all paths except `/livez` and `/readyz`; absent: programs on this machine need none. */
  readonly token?: Secret | undefined;
};

/** A tag: a resource, a record of it, or everything. */
const TAG = /^(?:\*|[a-z]{1,40}(?:[:_].{1,600})?)$/u;

/** Answers whether the gateway may be sent requests, and which dependency it lacks. */
function readiness({ checks, draining }: Pick<AdminDeps, 'checks' | 'draining'>) {
  return async function answerReadiness(_req: Request, res: Response): Promise<void> {
    const found = await checks();
    const results = Object.fromEntries(found.map(({ name, ready }) => [name, ready]));
    const leaving = draining();
    const isReady = !leaving && found.every(({ ready, needed }) => ready || !needed);
    res
      .status(isReady ? 200 : 503)
      .json({ status: isReady ? 'ready' : 'not ready', draining: leaving, checks: results });
  };
}

/** Purges the tag that a request names. */
function purging(purge: AdminDeps['purge']) {
  return async function answerPurge({ query: { tag } }: Request, res: Response): Promise<void> {
    if (typeof tag !== 'string' || !TAG.test(tag)) {
      res.status(400).json({ status: 'write ?tag=users, ?tag=user:42 or ?tag=* for everything' });
      return;
    }
    await purge(tag.replace('_', ':'));
    res.json({ purged: tag.replace('_', ':') });
  };
}

/** The claims that a query selects; `undefined` where it says anything else, which must not be read as "all". */
function selectionOf(query: Request['query']): ClaimSelection | undefined {
  const isKnown = ([name, value]: [string, unknown]) =>
    (name === 'source' || name === 'claim') && typeof value === 'string';
  return Object.entries(query).every(isKnown) ? query : undefined;
}

/** Believes the claims again that a request names. */
function resetting(reset: AdminDeps['claims']['reset']) {
  return async function answerReset({ query }: Request, res: Response): Promise<void> {
    const selection = selectionOf(query);
    if (selection !== undefined) res.json({ reset: await reset(selection) });
    else res.status(400).json({ status: 'write ?source=crm, ?source=crm&claim=order, or nothing for all' });
  };
}

/**
 * Creates the operator's listener: `/livez` and `/readyz` for the platform; `/metrics`, `/quality`, `POST /cache/purge`,
 * `/claims` and `POST /claims/reset` for callers with the token.
 */
export function createAdminApp(deps: AdminDeps): RequestListener {
  const { metrics, quality, claims } = deps;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use((_req: Request, res: Response, next: NextFunction) => {
    res.set({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
    next();
  });

  // Liveness means only that this process answers: a restart would not repair a dependency.
  app.get('/livez', (_req, res) => {
    res.json({ status: 'ok' });
  });

  app.get('/readyz', readiness(deps));

  app.use(createAdminGuard(deps.token));

  app.get('/metrics', async (_req, res) => {
    const text = await metrics.text();
    res.set('Content-Type', metrics.contentType).send(text);
  });

  app.get('/quality', async (_req, res) => {
    res.json({ sources: await quality() });
  });

  app.post('/cache/purge', purging(deps.purge));

  app.get('/claims', async (_req, res) => {
    res.json({ fallen: await claims.list() });
  });

  app.post('/claims/reset', resetting(claims.reset));

  app.use((_req: Request, res: Response) => {
    res.status(404).json({ status: 'not found' });
  });
  // Express recognises an error handler by its four parameters.
  app.use((_error: unknown, _req: Request, res: Response, _next: NextFunction) => {
    res.status(500).json({ status: 'error' });
  });
  return (req, res) => {
    app(req, res);
  };
}
