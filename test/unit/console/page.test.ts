import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importsOf } from '../../house/code/modules.ts';
import { parseSource } from '../../house/code/source-tree.ts';

const root = new URL('../../../', import.meta.url).pathname;
const page = readFileSync(join(root, 'src/console/index.html'), 'utf8');
const files = readdirSync(join(root, 'src/console'), { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
);
const read = (file: string) => readFileSync(join(root, 'src/console', file), 'utf8');

/** The modules that the page loads after its first one: types leave no import behind. */
function loadedModules(): readonly string[] {
  const found = new Set<string>();
  function visit(file: string): void {
    const withoutTypes = read(file).replace(/^import type .*?;$/gms, '');
    for (const path of importsOf(parseSource(join('src/console', file), withoutTypes))) {
      const module = path.slice('src/console/'.length);
      if (found.has(module)) continue;
      found.add(module);
      visit(module);
    }
  }
  visit('main.ts');
  return [...found].map((file) => file.replace(/\.ts$/, '.js')).sort();
}

describe('the page of the console', () => {
  it('names every module that it needs, so that all of them are asked for in one round', () => {
    const named = [...page.matchAll(/rel="modulepreload" href="(?!vendor\/)([^"]+)"/g)].map(
      ([, href]) => href!,
    );
    expect(named.sort()).toEqual(loadedModules());
  });

  it('names everything relative to itself, so that it works under any path', () => {
    const addresses = [...page.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, address]) => address!);
    expect(addresses.filter((address) => /^(?:\/|[a-z]+:)/.test(address))).toEqual([]);
    expect(files.filter((file) => /fetch\([`'"]\/|EventSource\([`'"]\//.test(read(file)))).toEqual([]);
  });

  it('has no script, style or handler within its markup but the map of imports', () => {
    expect([...page.matchAll(/<script(?![^>]*src=)([^>]*)>/g)].map(([, rest]) => rest)).toEqual([
      ' type="importmap"',
    ]);
    expect(page).not.toMatch(/<style|\sstyle=|\son[a-z]+=/);
  });

  it('never makes markup or code of a text', () => {
    const risky =
      /innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|\beval\(|new Function|srcdoc|DOMParser/;
    expect(files.filter((file) => risky.test(read(file)))).toEqual([]);
    expect(files.filter((file) => /\sstyle="/.test(read(file)))).toEqual([]);
  });
});
