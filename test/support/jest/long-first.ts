// The order of test files where jest does not know how long they take, as in a fresh clone.

import sequencer from '@jest/test-sequencer';

// Its types are those of its CommonJS form, which has the class one level down.
const TestSequencer = sequencer as unknown as typeof sequencer.default;
type Tests = Parameters<InstanceType<typeof TestSequencer>['sort']>[0];

/** Folders whose files wait for processes and clocks, up to a minute each; those with the longest come first. */
const LONG = ['operations', 'deployment', 'faults', 'migration', 'e2e', 'project'];
/** So many other files follow a long one: they compute while it waits. */
const BETWEEN = 5;

/**
 * Starts the long files early, so that none is left alone in the end. Jest itself knows how long files took the last time;
 * in a fresh clone it takes a large file for a long one, but the longest are five lines that run a table of rows.
 */
export default class LongFirst extends TestSequencer {
  override async sort(tests: Tests): Promise<Tests> {
    const sorted = await super.sort(tests);
    if (sorted.every(({ duration }) => duration !== undefined)) return sorted;
    const place = ({ context }: Tests[number]) => LONG.indexOf(context.config.displayName?.name ?? '');
    const long = sorted.filter((test) => place(test) >= 0).sort((one, other) => place(one) - place(other));
    const others = sorted.filter((test) => place(test) < 0);
    const behind = (at: number) => others.slice(at * BETWEEN, (at + 1) * BETWEEN);
    return [...long.flatMap((test, at) => [test, ...behind(at)]), ...others.slice(long.length * BETWEEN)];
  }
}
