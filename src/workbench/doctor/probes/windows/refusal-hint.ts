// Says for the hints of `doctor` why a service refused a request: the credential, a parameter, or the GraphQL query.

import { tryParseJson } from '../../../../kernel/json/try-parse-json.ts';
import type { UpstreamReply, UpstreamRequest } from '../../../../kernel/upstream-call.ts';

/** A request and its reply. */
type Refused = { readonly request: UpstreamRequest; readonly reply: UpstreamReply };

/**
 * Whether a GraphQL service refuses the query itself: its reply has no `data` then, and the error names a location in
 * the query but no path in the data (GraphQL specification, 7.1).
 */
export function isBrokenQuery({ reply }: Refused): boolean {
  const { data, errors } = (tryParseJson(reply.body.toString('utf8')) ?? {}) as {
    readonly data?: unknown;
    readonly errors?: Readonly<Record<number, { readonly locations?: unknown; readonly path?: unknown }>>;
  };
  const error = errors?.[0];
  return data === undefined && error?.locations !== undefined && error.path === undefined;
}

/** What to look at if a reply seems to be about the credential. A 403 may be about what was asked for instead. */
export function refusalHint({ reply, request }: Refused): string {
  const names = [...new Set(new URLSearchParams(request.target.split('?')[1] ?? '').keys())];
  const credential = 'auth, and the variables that it names';
  if (reply.status !== 403 || names.length === 0) return credential;
  return `${credential}; or a parameter that the service refuses: ${names.join(', ')}`;
}
