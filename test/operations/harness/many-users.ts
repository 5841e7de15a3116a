import type { FaultBench } from '../../faults/harness/bench.ts';
import type { FaultGateway, GatewayOptions } from '../../faults/harness/gateway.ts';
import { serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';
import { usersSource } from './users-source.ts';

/** A service with any number of users, which answers at once. */
const people = serving(({ query }) => {
  const from = Number(query.get('from'));
  const rows = Array.from({ length: Number(query.get('count')) }, (_, at) => {
    const id = from + at + 1;
    return { id, name: `User ${id}`, mail: `user${id}@example.com`, made: '2026-01-02T03:04:05Z' };
  });
  return { body: { total: 9_000_000_000, rows } };
});

/** Starts a gateway that refuses no request for its load, in front of a service with any number of users. */
export async function startWithManyUsers(
  bench: FaultBench,
  config: Readonly<Record<string, unknown>>,
  options: Pick<GatewayOptions, 'keys'> = {},
): Promise<FaultGateway> {
  const upstream = bench.own(await startUpstream(people));
  return bench.gateway({
    config: { overload: { inFlightMax: 10_000 }, ...config },
    sources: { 'people.yaml': usersSource(upstream.origin, 'timeout: 5s, concurrency: 200') },
    truth: () => undefined,
    ...options,
  });
}

/** The part of a gateway file that caches its users for so long. */
export const usersKept = (fresh: string) => ({ users: { source: 'people', cache: { fresh } } });
