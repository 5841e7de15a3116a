// Shares the quota of concurrent calls to a source between its present bulkhead and those from before a reload.

import type { Quota, QuotaUser } from './bulkhead.ts';

/** How many former bulkheads of a source are still counted besides the newest one. */
const FORMER_MAX = 2;

/**
 * Creates the function that gives each bulkhead of a source its share of one quota. After a reload, a source may have a new
 * bulkhead while calls of the former one still run. Together they must not use more slots than the quota.
 */
export function createSharedQuota(whole: Quota): () => Quota {
  let users: QuotaUser[] = [];
  const sum = (field: 'active' | 'waiting', except?: QuotaUser) =>
    users.reduce((total, user) => (user === except ? total : total + user[field]), 0);
  whole.attach({
    get active() {
      return sum('active');
    },
    get waiting() {
      return sum('waiting');
    },
    onGrow() {
      for (const user of users) user.onGrow();
    },
  });

  return function openShare() {
    let own: QuotaUser | undefined;
    return {
      get size() {
        return Math.max(0, whole.size - sum('active', own));
      },
      requestMore: () => whole.requestMore(),
      onRelease() {
        whole.onRelease();
        for (const user of users) if (user !== own) user.onGrow();
      },
      attach(user) {
        own = user;
        users = [...users.slice(-FORMER_MAX), user];
      },
    };
  };
}

/** Creates the quotas of a process that serves alone. Each is the whole concurrency of the newest bulkhead of its source. */
export function createLocalQuotas(): (source: string, concurrency: number) => Quota {
  const ignore = () => undefined;
  const quotas = new Map<
    string,
    { readonly whole: Quota & { size: number }; readonly openShare: () => Quota }
  >();

  function open(size: number) {
    const whole = { size, requestMore: ignore, onRelease: ignore, attach: ignore };
    return { whole, openShare: createSharedQuota(whole) };
  }

  return function quotaOf(source, concurrency) {
    const quota = quotas.get(source) ?? open(concurrency);
    quotas.set(source, quota);
    quota.whole.size = concurrency;
    return quota.openShare();
  };
}
