// Answers queries from a scan that another process of the fleet has made and published in Redis.

import { createSingleFlight } from '../../kernel/single-flight.ts';
import type { RedisScanCaches } from './redis-scan-caches.ts';
import type { ScanCacheHead } from './scan-cache-head.ts';
import { orderName, type ScanCache } from './local-scan-cache.ts';

/** The memory that the small object counts as while its rows are in Redis. */
const HANDLE_BYTES = 1_024;

/** Where a shared scan cache is in Redis, and how its rows are read into this process. */
export type SharedScanCacheDeps = {
  readonly shared: Pick<RedisScanCaches, 'page' | 'load'>;
  readonly scan: string;
  readonly head: ScanCacheHead;
  /** Reads all rows into this process; `undefined` if they are gone. */
  readonly toLocal: (signal: AbortSignal) => Promise<ScanCache | undefined>;
};

/**
 * Creates a scan cache from another process. If Redis has the rows in the wanted sort order, only the rows of the page are
 * read; any other query reads all rows into this process, once.
 */
export function createSharedScanCache({ shared, scan, head, toLocal }: SharedScanCacheDeps): ScanCache {
  const flights = createSingleFlight<ScanCache | undefined>();
  let local: ScanCache | undefined;

  return {
    name: head.name,
    storedAt: head.storedAt,
    bytes: HANDLE_BYTES,
    async select(selection, signal) {
      if (local === undefined && selection.filters.length === 0) {
        const { offset, limit } = selection;
        const records = await shared
          .page(scan, head, orderName(selection.sort), offset, limit)
          .catch(() => undefined);
        if (records !== undefined) return { records, total: head.count };
      }
      local ??= await flights.run(head.name, signal, toLocal);
      return local?.select(selection, signal);
    },
  };
}
