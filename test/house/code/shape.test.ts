import { functionsOf } from './functions.ts';
import { FOLDER_ENTRIES_MAX, FUNCTION_LINES_MAX, ROOMS_MAX } from './limits.ts';
import { importCircles, namesExportedTwice } from './modules.ts';
import { type Folder, readFolders, readSources } from './source-tree.ts';

const root = new URL('../../../', import.meta.url).pathname;
const sources = readSources(root, 'src');

/** The folders with more than 15 entries. */
function crowded(folders: readonly Folder[]): readonly string[] {
  return folders.filter(({ entries }) => entries > FOLDER_ENTRIES_MAX).map(({ path }) => path);
}

describe('the shape of the code', () => {
  it('has no function longer than 80 lines', () => {
    const functions = [...sources, ...readSources(root, 'test')].flatMap(functionsOf);
    const long = functions.filter(({ lines }) => lines > FUNCTION_LINES_MAX);
    expect(long.map(({ name }) => name)).toEqual([]);
  });

  it('exports a name from one file of src alone, so that it means one thing', () => {
    expect(namesExportedTwice(sources).map(({ name }) => name)).toEqual([]);
  });

  it('has at most 26 entries in src, one per room', () => {
    expect(readFolders(root, 'src')[0]!.entries).toBeLessThanOrEqual(ROOMS_MAX);
  });

  it('has at most 15 entries in a folder below src, and in the large folders of test', () => {
    const [, ...rooms] = readFolders(root, 'src');
    // The folders of test/unit are the rooms of src.
    const [, ...units] = readFolders(root, 'test/unit');
    const tests = ['test/house', 'test/support', 'test/faults'].flatMap((top) => readFolders(root, top));
    expect(crowded([...rooms, ...units, ...tests])).toEqual([]);
  });

  it('has no circle of imports in src, those of types counted', () => {
    expect(importCircles(sources)).toEqual([]);
  });
});
