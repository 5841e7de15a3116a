// Finds out whether a program, the console or a page of another site sent a request to the operator's listener, because a
// page of another site must be able to change nothing here.

import type { IncomingMessage } from 'node:http';

/**
 * Who made a request. `program`: no browser. `own`: a page of this listener. `navigation`: somebody who opened the address
 * in a browser. `foreign`: a page of another site.
 */
export type RequestSite = 'program' | 'own' | 'navigation' | 'foreign';

type Headers = Pick<IncomingMessage, 'headers' | 'headersDistinct' | 'method'>;

/** Whether an origin is the host that the request was sent to; a port of its scheme may be left out. */
function isHost(origin: string, host: string | undefined): boolean {
  if (host === undefined || !URL.canParse(origin)) return false;
  const { protocol, host: of, origin: written } = new URL(origin);
  const isWeb = (protocol === 'http:' || protocol === 'https:') && written === origin;
  return isWeb && URL.canParse(`${protocol}//${host}`) && new URL(`${protocol}//${host}`).host === of;
}

function isNavigation({ method, headers }: Headers): boolean {
  const { 'sec-fetch-mode': mode, 'sec-fetch-dest': dest, origin } = headers;
  const reads = method === 'GET' || method === 'HEAD';
  return reads && origin === undefined && mode === 'navigate' && dest === 'document';
}

/**
 * Finds who made a request by the headers that only a browser sets: `Sec-Fetch-Site` (W3C Fetch Metadata), or `Origin` if
 * the browser does not send it because the address is not secure.
 */
export function siteOf(req: Headers): RequestSite {
  const { origin: origins = [], 'sec-fetch-site': sites = [] } = req.headersDistinct;
  if (origins.length > 1 || sites.length > 1 || origins[0] === 'null') return 'foreign';
  const [[origin], [site]] = [origins, sites];
  if (site === 'same-origin') return 'own';
  if (site !== undefined) return isNavigation(req) ? 'navigation' : 'foreign';
  if (origin === undefined) return 'program';
  return isHost(origin, req.headers.host) ? 'own' : 'foreign';
}

/** The host names of this machine that local programs use, with any port. */
const OWN_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/** Whether a request names this machine as its host. Other names may have been made to point here (DNS rebinding). */
export function isLoopbackHost({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return OWN_HOST.test(headers.host ?? 'localhost');
}
