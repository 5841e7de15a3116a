import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, stop } from 'esbuild';
import { consoleBuildOptions } from '../../../../../src/admin/console/console-build-options.ts';

const root = new URL('../../../../../', import.meta.url).pathname;
const page = readFileSync(join(root, 'src/admin/console/page/index.html'), 'utf8');
const files = readdirSync(join(root, 'src/admin/console/page'), { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts'),
);
const read = (file: string) => readFileSync(join(root, 'src/admin/console/page', file), 'utf8');

afterAll(stop);

describe('the page of the console', () => {
  it('has one script for all modules and libraries, in which no form of import or export is left over', async () => {
    const bundle = await build({ ...consoleBuildOptions, outdir: root, write: false, metafile: true });
    const script = Object.entries(bundle.metafile.outputs).find(([name]) => name.endsWith('main.js'))![1];
    expect([script.imports, script.exports]).toEqual([[], []]);
    const own = Object.keys(script.inputs).filter((name) => !name.includes('node_modules/'));
    expect(own.length).toBeGreaterThan(40);
    expect(
      [...page.matchAll(/<(?:script|link)[^>]*(?:src|href)="([^"]+)"/g)].map(([, name]) => name),
    ).toEqual(['icon.svg', 'app.css', 'main.js']);
  });

  it('names everything relative to itself, so that it works under any path', () => {
    const addresses = [...page.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, address]) => address!);
    expect(addresses.filter((address) => /^(?:\/|[a-z]+:)/.test(address))).toEqual([]);
    expect(files.filter((file) => /fetch\([`'"]\/|EventSource\([`'"]\//.test(read(file)))).toEqual([]);
  });

  it('has no script, style or handler within its markup', () => {
    expect([...page.matchAll(/<script(?![^>]*src=)([^>]*)>/g)].map(([, rest]) => rest)).toEqual([]);
    expect(page).not.toMatch(/<style|\sstyle=|\son[a-z]+=/);
  });

  it('never makes markup or code of a text', () => {
    const risky =
      /innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|\beval\(|new Function|srcdoc|DOMParser/;
    expect(files.filter((file) => risky.test(read(file)))).toEqual([]);
    expect(files.filter((file) => /\sstyle="/.test(read(file)))).toEqual([]);
  });
});
