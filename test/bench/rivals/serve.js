import { once } from 'node:events';

/** What every rival is told. */
export const { KEY = '', REDIS_URL = '', UPSTREAM_URL = '' } = process.env;

/** Far above what any of them reaches: the limit is counted, and refuses nobody. A check sets a lower one. */
export const POINTS_PER_SECOND = Number(process.env.POINTS_PER_SECOND ?? 1_000_000);

/** Listens on a free port of loopback and says which. */
export async function announce(server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  console.error(`listening ${server.address().port}`);
}
