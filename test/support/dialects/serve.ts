import {
  type HttpReply,
  type ScriptedUpstream,
  serving,
  startUpstream,
  type UpstreamRequest,
} from '../upstream/scripted-upstream.ts';

/** A service in one dialect. */
export type Dialect = (request: UpstreamRequest) => HttpReply;

/** The credential of every dialect's service. */
export const TOKEN = 'a-token-of-the-dialect-tests';

const unauthorized: HttpReply = { status: 401, body: { error: 'unauthorized' } };

/** Serves a dialect on a free port; without the token it answers 401, unless it is open. */
export function serve(dialect: Dialect, { open = false } = {}): Promise<ScriptedUpstream> {
  return startUpstream(
    serving((request) =>
      open || request.headers.authorization === `Bearer ${TOKEN}` ? dialect(request) : unauthorized,
    ),
  );
}

/** A whole number among the parameters. */
export function whole(query: URLSearchParams, name: string, fallback: number): number {
  const value = query.get(name);
  return value !== null && /^\d+$/.test(value) ? Number(value) : fallback;
}

export const notFound: HttpReply = { status: 404, body: { error: 'Not Found' } };
