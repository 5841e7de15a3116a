import { createSingleFlight } from '../../kernel/single-flight.ts';
import type { RedisScanCaches } from './redis-scan-caches.ts';
import type { ScanCacheHead } from './scan-cache-head.ts';
import { orderName, type ScanCache } from './local-scan-cache.ts';

/** The assumed memory of a small object. */
const HANDLE_BYTES = 1_024;

/** The place of a shared scan cache, and how its rows are read into this process. */
export type SharedScanCacheDeps = {
  readonly shared: Pick<RedisScanCaches, 'page' | 'load'>;
  readonly scan: string;
  readonly head: ScanCacheHead;
  /** Reads all rows into this process; `undefined` if they are gone. */
  readonly toLocal: (signal: AbortSignal) => Promise<ScanCache | undefined>;
};

/**
 * A scan cache from another process. If its rows were already sorted in an order, pages in it are read from Redis row by
 * row; any other query reads all rows, once.
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
