import type { Stack } from '../gateway/stack.ts';

/** What callers met while something happened to Redis. */
export type LoadFigures = { readonly statuses: Readonly<Record<number, number>>; readonly slowestMs: number };

/**
 * Callers who ask a gateway with one key without a pause, one request at a time each, until `work` has ended. Their
 * questions are many, so that the cache does not answer for Redis.
 */
export async function underLoad(
  { url }: Stack,
  key: string,
  callers: number,
  work: () => Promise<unknown>,
): Promise<LoadFigures> {
  const statuses: Record<number, number> = {};
  let [slowestMs, asked, over] = [0, 0, false];
  async function call(): Promise<void> {
    while (!over) {
      asked += 1;
      const startedAt = performance.now();
      const response = await fetch(`${url}/v1/users?limit=${1 + (asked % 100)}&page=${1 + (asked % 7)}`, {
        headers: { authorization: `Bearer ${key}` },
      });
      await response.arrayBuffer();
      slowestMs = Math.max(slowestMs, performance.now() - startedAt);
      statuses[response.status] = (statuses[response.status] ?? 0) + 1;
    }
  }
  const calls = Array.from({ length: callers }, call);
  try {
    await work();
  } finally {
    over = true;
  }
  await Promise.all(calls);
  return { statuses, slowestMs };
}
