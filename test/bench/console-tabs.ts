/** Tabs of a browser with the console open, as far as the gateway notices them. */
export type ConsoleTabs = { close(): void };

type Tab = readonly { readonly path: string; readonly everyMs: number }[];

/** The overview of the fleet. Its numbers come by the event stream. */
const OVERVIEW: Tab = [
  { path: 'metrics/history?span=1h', everyMs: 10_000 },
  { path: 'incidents', everyMs: 15_000 },
];

/** What each of five tabs asks for, and how often, milliseconds: what the pages of `src/admin/console/page/views` do. */
const TABS: readonly Tab[] = [
  OVERVIEW,
  [
    { path: 'sources/bench', everyMs: 5_000 },
    { path: 'metrics/history?span=1h&source=bench', everyMs: 10_000 },
  ],
  [{ path: 'callers', everyMs: 5_000 }],
  [{ path: 'cache', everyMs: 5_000 }],
  [
    { path: 'quality', everyMs: 10_000 },
    { path: 'claims', everyMs: 10_000 },
  ],
];

async function readAll(url: string, signal: AbortSignal): Promise<void> {
  const reply = await fetch(url, { signal });
  if (reply.status !== 200) throw new Error(`${url}: status ${String(reply.status)}`);
  await reply.body?.pipeTo(new WritableStream());
}

/**
 * Opens five tabs: each listens to the event stream and asks for its own figures again and again.
 * `isOverview`: all show the overview.
 */
export function openConsoleTabs(adminUrl: string, isOverview = false): ConsoleTabs {
  const closing = new AbortController();
  const { signal } = closing;
  const ask = (path: string) =>
    void readAll(`${adminUrl}/api/${path}`, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  const timers = (isOverview ? TABS.map(() => OVERVIEW) : TABS).flatMap((asked) => {
    ask('events');
    return asked.map(({ path, everyMs }) => {
      ask(path);
      return setInterval(() => ask(path), everyMs);
    });
  });
  return {
    close() {
      timers.forEach((timer) => clearInterval(timer));
      closing.abort();
    },
  };
}
