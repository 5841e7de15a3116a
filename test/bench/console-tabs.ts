/** Tabs of a browser with the console open, as far as the gateway notices them. */
export type ConsoleTabs = { close(): void };

/** What each of five tabs asks for, and how often, milliseconds: what the pages of `src/admin/console/page/views` do. */
const TABS: readonly (readonly { readonly path: string; readonly everyMs: number }[])[] = [
  [{ path: 'metrics/history?span=1h', everyMs: 10_000 }],
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

/** Opens five tabs: each listens to the event stream and asks for its own figures again and again. */
export function openConsoleTabs(adminUrl: string): ConsoleTabs {
  const closing = new AbortController();
  const { signal } = closing;
  const ask = (path: string) =>
    void readAll(`${adminUrl}/api/${path}`, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  const timers = TABS.flatMap((asked) => {
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
