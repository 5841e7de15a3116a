import { resources } from '../../reference.ts';
import { detailBody, listBody, type CanonicalRecord } from '../../../../src/contract/response-body.ts';
import type { Query } from '../../../../src/contract/query.ts';
import type { SourceAnswer, SourceHandler } from '../../../../src/pipeline/stages/call.ts';
import type { VirtualTime } from '../../time/virtual-time.ts';

/** One state of a user; `undefined`: deleted. It is the legacy store's at once, and the new store's after a lag. */
type Version = { readonly at: number; readonly seenAt: number; readonly name: string | undefined };

/** Two stores of users: what is written to the legacy one reaches the new one later. */
export type LaggingStores = {
  readonly sources: { readonly legacy: SourceHandler; readonly new: SourceHandler };
  /** How often each was asked. */
  readonly calls: { legacy: number; new: number };
  /** Writes a new name, or deletes or makes a user. */
  write(number: number, name: string | undefined): void;
};

export type LaggingStoresOptions = {
  readonly time: VirtualTime;
  readonly users: number;
  /** How long a write takes to reach the new store, anew for each. */
  readonly lagMs: () => number;
  /** How long a store takes to answer. */
  readonly answerMs: () => number;
  /** What the new store has instead of a name; a hole where it gives `undefined`. */
  readonly spoil: (number: number, name: string) => string | undefined;
  /** Whether the new store gives another e-mail address in this one answer about a user. */
  readonly isWrong?: () => boolean;
};

/** Creates two equal stores, but for what is spoilt. */
export function createLaggingStores(options: LaggingStoresOptions): LaggingStores {
  const { time, users, lagMs, answerMs, spoil, isWrong = () => false } = options;
  const { users: resource } = resources;
  const versions = Array.from({ length: users + 1 }, (_, number): Version[] =>
    number === 0 ? [] : [{ at: 0, seenAt: 0, name: `User ${number}` }],
  );
  const calls = { legacy: 0, new: 0 };

  function nameIn(side: 'legacy' | 'new', number: number): string | undefined {
    const known = versions[number] ?? [];
    const seen = side === 'legacy' ? known : known.filter(({ seenAt }) => seenAt <= time.monotonic());
    const name = seen.at(-1)?.name;
    return side === 'legacy' || name === undefined ? name : spoil(number, name);
  }

  const recordOf = (number: number, name: string): CanonicalRecord => ({ id: `user_${number}`, name });

  function answerFrom(side: 'legacy' | 'new', query: Query): SourceAnswer {
    const found = { found: true, storedAt: time.now(), freshSeconds: 10, tags: [] } as const;
    if (query.kind === 'get') {
      const number = Number(query.id.slice('user_'.length));
      const name = nameIn(side, number);
      if (name === undefined) return { found: false, tags: [] };
      const record = recordOf(number, name);
      const given = side === 'new' && isWrong() ? { ...record, email: 'other@example.com' } : record;
      return { ...found, body: Buffer.from(detailBody(resource, given)) };
    }
    const rows = versions.flatMap((_, number) => {
      const name = nameIn(side, number);
      return name === undefined ? [] : [recordOf(number, name)];
    });
    const { page, limit } = query;
    const records = rows.slice((page - 1) * limit, page * limit);
    return { ...found, body: Buffer.from(listBody(resource, records, { total: rows.length, page, limit })) };
  }

  const sourceOf =
    (side: 'legacy' | 'new'): SourceHandler =>
    async ({ query, usage }) => {
      usage.upstreamCalls += 1;
      calls[side] += 1;
      const startedAt = time.now();
      await time.sleep(answerMs() / 2);
      const answer = answerFrom(side, query);
      await time.sleep(answerMs() / 2);
      return answer.found ? { ...answer, storedAt: startedAt } : answer;
    };

  return {
    sources: { legacy: sourceOf('legacy'), new: sourceOf('new') },
    calls,
    write(number, name) {
      const now = time.monotonic();
      versions[number] = [...(versions[number] ?? []).slice(-8), { at: now, seenAt: now + lagMs(), name }];
    },
  };
}
