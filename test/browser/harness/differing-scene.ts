import { generateUsers, type SampleUser } from '../../../src/cli/demo/data/generate-users.ts';
import type { FaultBench } from '../../faults/harness/bench.ts';
import type { ConsoleTab } from './console-tab.ts';
import { openScene, type Scene } from './scene.ts';

/** Fields of which samples show a masked value. */
const MASKED = ['data.name', 'data[].name', 'data.email', 'data[].email'];

const migration = {
  to: 'people',
  stage: 'shadow',
  compare: { showMask: MASKED },
  recheck: { delay: '50ms', maxRps: 1_000 },
};

/** The same people at the new store, each under another name and address. */
function renamed(users: readonly SampleUser[], text: string): readonly Pick<SampleUser, 'truth'>[] {
  return users.map(({ truth }, index) => ({
    truth: { ...truth, name: `${text} Nova ${index}`, email: `${text}.nova.${index}@people.example` },
  }));
}

/** Users of whom one has a date that cannot be read. */
function withUnreadable(users: readonly SampleUser[]): readonly SampleUser[] {
  return users.map((user, index) =>
    index === 1 ? { ...user, legacy: { ...user.legacy, created: 'yesterday' } } : user,
  );
}

/** A scene whose two stores of the users differ in every record, compared until the differences have samples. */
export async function openDifferingScene(
  bench: FaultBench,
  users: readonly SampleUser[] = generateUsers({ seed: 1, count: 40 }),
  text = 'Nova',
): Promise<Scene> {
  const scene = await openScene(bench, {
    config: { resources: { users: { migration } } },
    users: withUnreadable(users),
    people: renamed(users, text),
  });
  for (let round = 0; round < 4; round += 1) await scene.sendTraffic();
  type Found = { differences: readonly { path: string; samples: readonly { new?: { mask?: string } }[] }[] };
  const isMasked = async () => {
    const { differences } = await scene.api<Found>('migrations/users/diffs');
    return MASKED.every((path) =>
      differences.some((one) => one.path === path && one.samples.some((sample) => sample.new?.mask)),
    );
  };
  await bench.until(isMasked, 60_000, 250);
  return scene;
}

/** Goes to the view of the migration and opens all samples of differences. Returns the table's text. */
export async function openSamples(tab: ConsoleTab): Promise<string> {
  await tab.go('#/migration/users');
  const table = tab.page.getByRole('table', { name: 'differences' });
  await table.locator('summary').first().waitFor();
  await tab.page.evaluate("document.querySelectorAll('main details').forEach((one) => { one.open = true; })");
  return table.innerText();
}

/** The masked paths whose samples are not in the text of the table, or show more than a mask. */
export function missingSamples(text: string): readonly string[] {
  const rows = text.split(/(?=data[.[])/).slice(1);
  return MASKED.filter((path) => {
    const row = rows.find((one) => one.startsWith(`${path} `) || one.startsWith(`${path}\n`)) ?? '';
    return !/string, length \d+, \S*\*\*\*/.test(row);
  });
}
