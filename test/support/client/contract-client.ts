import { setTimeout as delay } from 'node:timers/promises';
import { checkedFetch } from './openapi-check.ts';

/** A caller of a running gateway that knows nothing of it but its contract. */
export type Client = {
  /** A checked answer; one that says 429 is asked for again when it says so. */
  get(path: string, init?: RequestInit): Promise<Response>;
  /** The pages of a list from the first to the one behind the last, with every promise about `meta` checked. */
  walk<T extends { id: string }>(list: string, limit: number): Promise<T[]>;
};

type Page<T> = { data: T[]; meta: { total: number; page: number; limit: number } };

/** Makes a caller with a key. */
export function createClient(url: string, key: string): Client {
  async function get(path: string, init: RequestInit = {}): Promise<Response> {
    for (;;) {
      const headers = {
        authorization: `Bearer ${key}`,
        ...(init.headers as Record<string, string> | undefined),
      };
      const response = await checkedFetch(url + path, { ...init, headers });
      if (response.status !== 429) return response;
      await delay(Number(response.headers.get('retry-after')) * 1_000);
    }
  }

  async function page<T>(path: string): Promise<Page<T>> {
    const response = await get(path);
    if (response.status !== 200) throw new Error(`${path} → ${response.status}`);
    return (await response.json()) as Page<T>;
  }

  return {
    get,
    async walk<T extends { id: string }>(list: string, limit: number) {
      const records: T[] = [];
      const glue = list.includes('?') ? '&' : '?';
      for (let number = 1; ; number += 1) {
        const { data, meta } = await page<T>(`${list}${glue}limit=${limit}&page=${number}`);
        expect(meta).toMatchObject({ page: number, limit });
        expect(data).toHaveLength(Math.max(0, Math.min(limit, meta.total - records.length)));
        records.push(...data);
        if (data.length === 0) {
          expect(records).toHaveLength(meta.total);
          expect(new Set(records.map(({ id }) => id)).size).toBe(meta.total);
          return records;
        }
      }
    },
  };
}
