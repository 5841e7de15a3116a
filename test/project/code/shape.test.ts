import { folderCircles, importCircles, namesExportedTwice } from './modules.ts';
import { readSources } from './source-tree.ts';

const root = new URL('../../../', import.meta.url).pathname;
const sources = readSources(root, 'src');

describe('the shape of the code', () => {
  it('exports a name from one file of src alone, so that it means one thing', () => {
    expect(namesExportedTwice(sources).map(({ name }) => name)).toEqual([]);
  });

  it('has no circle of imports in src, those of types counted', () => {
    expect(importCircles(sources)).toEqual([]);
  });

  it('has no circle between folders beside each other, or of a folder with the files of its parent', () => {
    expect(folderCircles(sources)).toEqual([]);
  });
});
