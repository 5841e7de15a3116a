import type { FaultBench } from '../faults/harness/bench.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';
import { findBarriers, overflow } from './harness/accessibility.ts';
import { type ConsoleTab, faultsOf, isClean, openAs, viewsOf } from './harness/console-tab.ts';
import { missingSamples, openDifferingScene, openSamples } from './harness/differing-scene.ts';
import { keepScreenshot } from './harness/run-options.ts';
import { failedRequest, openIncident, openScene, type Scene } from './harness/scene.ts';

/** A scene that has everything in it that the views show. */
async function openBusyScene(bench: FaultBench): Promise<Scene> {
  const scene = await openScene(bench);
  await scene.rampUsers(25);
  for (let round = 0; round < 4; round += 1) await scene.sendTraffic();
  await scene.api('cache/purge', { body: { tag: 'users', reason: 'the names were wrong' } });
  return scene;
}

type Look = { readonly name: string; readonly colorScheme: 'light' | 'dark' };

/** The widths of windows in which each view is looked at, and whether for barriers, too: the layouts differ between these. */
const WIDTHS: ReadonlyMap<number, boolean> = new Map([
  [1440, true],
  [1280, false],
  [1024, true],
  [390, true],
  [360, false],
]);

/** A row that opens every view in one look, in windows of each width. */
function everyView({ name, colorScheme }: Look, id: string): BenchRow {
  return {
    id,
    name: `every view of the console has its content, no barrier that axe finds and nothing that is cut off, from 1440 to 360 px: ${name}`,
    async run(bench) {
      const scene = await openBusyScene(bench);
      const views = viewsOf(await failedRequest(scene), await openIncident(bench, scene));
      const size = { colorScheme, viewport: { width: 1440, height: 800 } };
      const tab = await openAs(bench, scene, 'operator', size);
      const barriers: string[] = [];
      const alerts: string[] = [];
      const wide: string[] = [];
      async function lookAt({ page }: ConsoleTab, view: string, width: number): Promise<void> {
        await page.setViewportSize({ width, height: 800 });
        const place = `${view} at ${width} px`;
        const found = WIDTHS.get(width) === true ? await findBarriers(page) : [];
        for (const barrier of found) barriers.push(`${place}: ${barrier}`);
        const wider = await overflow(page);
        if (wider > 0) wide.push(`${place} by ${wider} px: ${await page.evaluate<string>(WIDEST)}`);
        const cut = await page.evaluate<string>(CUT_OFF);
        if (cut !== '') wide.push(`${place}: ${cut}`);
        const alert = page.locator('main [role=alert]');
        if ((await alert.count()) > 0) alerts.push(`${place}: ${await alert.first().innerText()}`);
        await keepScreenshot(page, `${view}-${name}-${width}`);
      }
      async function look(tabOf: ConsoleTab, view: string): Promise<void> {
        for (const width of WIDTHS.keys()) await lookAt(tabOf, view, width);
      }
      for (const [view, hash] of Object.entries(views)) {
        await tab.go(hash);
        await look(tab, view);
      }
      const differing = await openAs(bench, await openDifferingScene(bench), 'operator', size);
      const unseen = missingSamples(await openSamples(differing));
      await look(differing, 'differences');
      const isRight =
        barriers.length === 0 && alerts.length === 0 && wide.length === 0 && unseen.length === 0;
      const ok = isRight && isClean(tab) && isClean(differing);
      return promised(ok, {
        views: Object.keys(views).length + 1,
        'without a masked sample': unseen.join(', ') || 0,
        barriers: barriers.join(' || ').slice(0, 4_000) || 0,
        problems: alerts.join(' | ') || 0,
        'too wide': wide.join(' | ') || 0,
        ...faultsOf(tab),
      });
    },
  };
}

/** The elements that stick out of the window, where none above them scrolls. */
const WIDEST = `[...document.querySelectorAll('body *')]
  .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
  .slice(-3).map((one) => one.tagName + '.' + one.className + ' ' + one.textContent.slice(0, 30)).join(', ')`;

/** The tables of which a part is seen only if one scrolls. */
const CUT_OFF = `[...document.querySelectorAll('.table-box')]
  .filter((one) => one.scrollWidth > one.clientWidth + 1)
  .map((one) => one.ariaLabel + ' lacks ' + (one.scrollWidth - one.clientWidth) + ' px').join(', ')`;

const looks: readonly Look[] = [
  { name: 'light', colorScheme: 'light' },
  { name: 'dark', colorScheme: 'dark' },
];

const keyboard: BenchRow = {
  id: 'views-3',
  name: 'everything is reached and done by keyboard: each view, the search, a change and its way out',
  async run(bench) {
    const scene = await openBusyScene(bench);
    const tab = await openAs(bench, scene, 'operator');
    const { page } = tab;
    const reached: string[] = [];
    for (const [key, title] of Object.entries(JUMPS)) {
      await page.keyboard.press('g');
      await page.keyboard.press(key);
      await page.locator('main h1', { hasText: title }).waitFor();
      reached.push(title.source);
    }
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    // A new view takes the focus to its heading after it is drawn; a Tab before that would begin elsewhere.
    await page.locator('main h1:focus', { hasText: 'Cache' }).waitFor();
    let stops = 0;
    let invisible = 0;
    for (; stops < 60; stops += 1) {
      await page.keyboard.press('Tab');
      const focus = await page.evaluate<{ text: string; isSeen: boolean }>(FOCUS);
      if (!focus.isSeen) invisible += 1;
      if (focus.text.startsWith('Purge by tag')) break;
    }
    await page.keyboard.press('Enter');
    await page.locator('dialog[open]').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('dialog[open]').waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await page.locator('dialog[open]').waitFor();
    await page.keyboard.press('Escape');
    return promised(reached.length === 10 && stops < 60 && invisible === 0 && isClean(tab), {
      views: reached.length,
      'Tabs to the change': stops,
      'stops without a mark': invisible,
      ...faultsOf(tab),
    });
  },
};

/** The keys after `g`, and the headings of their views. */
const JUMPS: Readonly<Record<string, RegExp>> = {
  r: /Requests/,
  s: /crm|catalog|people/,
  t: /Try it/,
  k: /Callers/,
  c: /Cache/,
  q: /quality/,
  m: /Migration/,
  f: /Configuration/,
  a: /Audit/,
  o: /Overview/,
};

/** What has the focus, and whether a reader sees that: by an outline or a shadow. */
const FOCUS = `(() => {
  const element = document.activeElement;
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
  const isSeen = (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none';
  return { text: element.textContent.trim(), isSeen: isSeen || element === document.body };
})()`;

/** What is promised of every view. */
export const viewRows: readonly BenchRow[] = [
  ...looks.map((look, index) => everyView(look, `views-${index + 1}`)),
  keyboard,
];
