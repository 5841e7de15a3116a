import type { Share, ShareUser } from './bulkhead.ts';

/** As many configurations as may be left besides the newest. */
const FORMER_MAX = 2;

/**
 * Makes the function that gives each bulkhead of a source its view of one share. After a change of configuration a source
 * has another bulkhead, while the calls of the one before still end: together they have no more slots than the share.
 */
export function createDividedShare(whole: Share): () => Share {
  let users: ShareUser[] = [];
  const sum = (field: 'active' | 'waiting', except?: ShareUser) =>
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

  return function view() {
    let own: ShareUser | undefined;
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

/** Creates the shares of a process that serves alone: each is all of what the newest bulkhead of the source may have. */
export function createLocalShares(): (source: string, concurrency: number) => Share {
  const ignore = () => undefined;
  const shares = new Map<string, { readonly whole: Share & { size: number }; readonly view: () => Share }>();

  function open(size: number) {
    const whole = { size, requestMore: ignore, onRelease: ignore, attach: ignore };
    return { whole, view: createDividedShare(whole) };
  }

  return function shareOf(source, concurrency) {
    const share = shares.get(source) ?? open(concurrency);
    shares.set(source, share);
    share.whole.size = concurrency;
    return share.view();
  };
}
