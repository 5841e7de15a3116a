import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { sharedChromium } from './chromium.ts';

/** What a browser has said while it was used: each list is empty where all is well. */
export type Seen = {
  /** Addresses of other origins that it asked. */
  readonly foreign: string[];
  readonly violations: string[];
  /** Errors that no script caught. */
  readonly errors: string[];
  /** All that came over the network as text: pages, scripts aside, and JSON. */
  readonly texts: string[];
  /** How many requests it made. */
  requests: number;
};

/** A tab in a browser context of its own, whose requests and errors are watched. */
export type WatchedTab = {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly seen: Seen;
  close(): Promise<void>;
};

/** What a tab is opened with. */
export type TabOptions = BrowserContextOptions & {
  /** The shared browser by default. */
  readonly browser?: Browser;
  /** The origins that it may ask. */
  readonly origins: readonly string[];
};

/** Runs in the page before any script of its own: Chromium tells it of everything that a policy has refused. */
const REPORT_VIOLATIONS = `addEventListener('securitypolicyviolation', (event) => console.error('portico-violation ' + event.violatedDirective + ' ' + event.blockedURI));`;

function watchPage(page: Page, seen: Seen): void {
  page.on('console', (message) => {
    const text = message.text();
    if (/^portico-violation |Content Security Policy/.test(text)) seen.violations.push(text.slice(0, 300));
  });
  page.on('pageerror', (error) => {
    // The first lines of the stack say which view it was.
    seen.errors.push((error.stack ?? error.message).split('\n').slice(0, 4).join(' '));
  });
}

/** Opens a tab. */
export async function openTab({ browser, origins, ...options }: TabOptions): Promise<WatchedTab> {
  const context = await (browser ?? (await sharedChromium())).newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    ...options,
  });
  const seen: Seen = { foreign: [], violations: [], errors: [], texts: [], requests: 0 };
  context.on('request', (request) => {
    seen.requests += 1;
    const { protocol, origin } = new URL(request.url());
    if (/^https?:$|^wss?:$/.test(protocol) && !origins.includes(origin)) seen.foreign.push(request.url());
  });
  context.on('response', (response) => {
    if (!/json|html/.test(response.headers()['content-type'] ?? '')) return;
    // A page that was left takes its answers with it.
    response.text().then(
      (text) => void seen.texts.push(text),
      () => undefined,
    );
  });
  await context.addInitScript(REPORT_VIOLATIONS);
  const page = await context.newPage();
  watchPage(page, seen);
  context.on('page', (other) => watchPage(other, seen));
  page.setDefaultTimeout(20_000);
  return { page, context, seen, close: () => context.close() };
}
