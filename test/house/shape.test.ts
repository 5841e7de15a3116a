import { functionsOf } from './code/functions.ts';
import { FOLDER_ENTRIES_MAX, FUNCTION_LINES_MAX, ROOMS_MAX } from './code/limits.ts';
import { importCircles, namesExportedTwice } from './code/modules.ts';
import { type Folder, readFolders, readSources } from './code/source-tree.ts';

const root = new URL('../../', import.meta.url).pathname;
const sources = readSources(root, 'src');

// What breaks a limit today. An entry that is not needed any more fails its test, so the lists only shrink.
const LONG_FUNCTIONS: readonly string[] = [
  'attachWatchdog',
  'compilePlanner',
  'createBulkhead',
  'createCache',
  'createMetrics',
  'createPrimary',
  'createProxy',
  'createRedisRowSets',
  'createResilience',
  'createResponder',
  'createTokenPrefetch',
  'createUpstream',
  'openBench',
  'readJson',
  'startUpstream',
];
const NAMES_EXPORTED_TWICE: readonly string[] = [
  'ListReader',
  'Operation',
  'ResilienceMetrics',
  'Window',
  'auth',
  'jsonText',
];
const CROWDED_FOLDERS: readonly string[] = ['src/config/schema', 'test/unit'];
const CIRCLES: readonly string[] = ['src/store/cache/cache-entry.ts src/store/cache/content-encodings.ts'];

const sorted = (names: readonly string[]) => [...names].sort();

/** The folders with more than 15 entries. */
function crowded(folders: readonly Folder[]): readonly string[] {
  return sorted(folders.filter(({ entries }) => entries > FOLDER_ENTRIES_MAX).map(({ path }) => path));
}

describe('the shape of the code', () => {
  it('has no function longer than 80 lines', () => {
    const functions = [...sources, ...readSources(root, 'test')].flatMap(functionsOf);
    const long = functions.filter(({ lines }) => lines > FUNCTION_LINES_MAX).map(({ name }) => name);
    expect(sorted(long)).toEqual(LONG_FUNCTIONS);
  });

  it('exports a name from one file of src alone, so that it means one thing', () => {
    expect(namesExportedTwice(sources).map(({ name }) => name)).toEqual(NAMES_EXPORTED_TWICE);
  });

  it('has at most 26 entries in src, one per room', () => {
    expect(readFolders(root, 'src')[0]!.entries).toBeLessThanOrEqual(ROOMS_MAX);
  });

  it('has at most 15 entries in a folder below src, and in the large folders of test', () => {
    const [, ...rooms] = readFolders(root, 'src');
    const tests = ['test/unit', 'test/support', 'test/faults'].flatMap((top) => readFolders(root, top));
    expect(crowded([...rooms, ...tests])).toEqual(CROWDED_FOLDERS);
  });

  it('has no circle of imports in src, those of types counted', () => {
    expect(sorted(importCircles(sources).map((circle) => circle.join(' ')))).toEqual(CIRCLES);
  });
});
