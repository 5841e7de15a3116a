import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { ROW_OPTIONS } from '../../faults/harness/run-table.ts';
import { withPalette } from './with-palette.ts';

/** What the script was started with. */
export type RunOptions = {
  /** Parts of the ids or names of the rows that run; absent: all. */
  readonly only?: readonly string[] | undefined;
  /** Whether a row has all the time that it can use. */
  readonly long: boolean;
  /** Whether only the rows of the short form run. */
  readonly short: boolean;
};

/** Where the pictures of the README are. */
export const README_FOLDER = 'test/browser/screenshots';
/** The screenshots of a run, and of the README; neither by default. */
let folders: { readonly run?: string | undefined; readonly readme: boolean } = { readme: false };

/** Reads the options of the script. */
export function readOptions(): RunOptions {
  const { values } = parseArgs({
    options: {
      ...ROW_OPTIONS,
      short: { type: 'boolean', default: false },
      screenshots: { type: 'string' },
      readme: { type: 'boolean', default: false },
    },
  });
  folders = { run: values.screenshots, readme: values.readme };
  if (values.screenshots !== undefined) mkdirSync(values.screenshots, { recursive: true });
  return values;
}

/** Keeps what a page looks like, where the script was asked to: a file `<name>.png` in the folder of the run. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  if (folders.run !== undefined)
    await page.screenshot({ path: join(folders.run, `${name}.png`), fullPage: true });
}

/** Whether the pictures of the README are made again. */
export const isForReadme = () => folders.readme;

/** Keeps what the README shows, with `--readme`: what is in the window, in so few colours that it stays small. */
export async function keepForReadme(page: Page, name: string): Promise<void> {
  if (!folders.readme) return;
  const picture = await withPalette(await page.screenshot({ scale: 'css' }), page);
  writeFileSync(join(README_FOLDER, `${name}.png`), picture);
}
