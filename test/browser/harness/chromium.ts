import { spawnSync } from 'node:child_process';
import { type Browser, chromium } from 'playwright-core';

const COMMANDS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** What is said where no browser is found, and none may be installed. */
export const NO_CHROMIUM =
  'These rows need a real Chromium: install the package chromium (Debian, Ubuntu), or put google-chrome into the PATH.';

const isRoot = process.getuid?.() === 0;

function works(command: string, ...args: string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

/** The path of a browser that is installed. */
function findChromium(): string | undefined {
  for (const command of COMMANDS) {
    const { status, stdout } = spawnSync('sh', ['-c', `command -v ${command}`], { encoding: 'utf8' });
    if (status === 0) return stdout.trim();
  }
  return undefined;
}

/** The path of a browser; installs Debian's where that is allowed. `undefined` where there is none. */
function needChromium(): string | undefined {
  const found = findChromium();
  if (found !== undefined || !isRoot || !works('apt-get', '--version')) return found;
  const isInstalled =
    works('apt-get', 'update') && works('apt-get', 'install', '-y', '--no-install-recommends', 'chromium');
  return isInstalled ? findChromium() : undefined;
}

let path: string | undefined;
let shared: Promise<Browser> | undefined;

/** Whether there is a browser, after an attempt to install one. */
export function hasChromium(): boolean {
  path ??= needChromium();
  return path !== undefined;
}

/** Starts a browser with further arguments. The caller closes it. */
export async function launchChromium(...args: readonly string[]): Promise<Browser> {
  if (!hasChromium()) throw new Error(NO_CHROMIUM);
  // Chromium's sandbox does not work as root.
  const sandbox = isRoot ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: path ?? '', args: [...sandbox, ...args] });
}

/** The browser that all rows share; each opens a context of its own. */
export function sharedChromium(): Promise<Browser> {
  shared ??= launchChromium();
  return shared;
}

/** Closes the shared browser, if there is one. */
export async function closeChromium(): Promise<void> {
  await (await shared)?.close();
  shared = undefined;
}
