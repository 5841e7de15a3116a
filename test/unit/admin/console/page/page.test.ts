import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createConsoleFiles } from '../../../../../src/admin/console/console-files.ts';

type ImportMap = { readonly imports: Readonly<Record<string, string>> };

const root = new URL('../../../../../', import.meta.url).pathname;
const page = readFileSync(join(root, 'src/admin/console/page/index.html'), 'utf8');
const files = readdirSync(join(root, 'src/admin/console/page'), { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts'),
);
const read = (file: string) => readFileSync(join(root, 'src/admin/console/page', file), 'utf8');

describe('the page of the console', () => {
  it('names every script that it needs, so that all of them are asked for in one round', async () => {
    const script = await (await createConsoleFiles().find('main.js'))!.body('identity');
    const needed = [...script.toString().matchAll(/^import .* from '([^']+)';$/gm)].map(([, name]) => name!);
    const { imports } = JSON.parse(/<script type="importmap">([^<]+)</.exec(page)![1]!) as ImportMap;
    const named = [...page.matchAll(/rel="modulepreload" href="([^"]+)"/g)].map(([, href]) => `./${href!}`);
    expect(named.sort()).toEqual(needed.map((name) => imports[name]).sort());
    expect(named).toHaveLength(Object.keys(imports).length);
  });

  it('has one script for all modules, in which no form of import or export is left over', async () => {
    const script = (await (await createConsoleFiles().find('main.js'))!.body('identity')).toString();
    const odd = script.split('\n').filter((line) => /^(?:import|export)\b/.test(line));
    expect(odd.filter((line) => !/^import \* as \w+ from '[a-z/]+';$/.test(line))).toEqual([]);
    expect(script.match(/^const module\d+ = /gm)!.length).toBeGreaterThan(40);
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
