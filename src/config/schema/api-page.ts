import type { GatewayConfig } from './gateway.ts';

/** Where the public listener serves the API page. */
export const API_PAGE_PATH = '/docs';

/** The place of the pass-through route that stands at the path of the API page, among `passthrough`; -1 for none. */
export function apiPageRoute({ passthrough }: Pick<GatewayConfig, 'passthrough'>): number {
  return passthrough.findIndex(({ path }) => path === API_PAGE_PATH);
}

/** Whether the API page is served: it is on, and no pass-through route has its path. */
export function isApiPageServed(gateway: Pick<GatewayConfig, 'docs' | 'passthrough'>): boolean {
  return gateway.docs && apiPageRoute(gateway) === -1;
}
