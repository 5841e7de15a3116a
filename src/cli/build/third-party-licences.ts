import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Metafile } from 'esbuild';

type Manifest = { readonly name: string; readonly version: string; readonly license: string };

/** The folders of the packages of which something is in a bundle; `base`: what the paths of its metafile begin at. */
function bundledFolders({ outputs }: Metafile, base: string): readonly string[] {
  const files = Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs));
  return files.flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(resolve(base, file)) ?? []);
}

/** The licence texts of a package: its own files, or else the part of its readme, or the name alone if there is no text. */
function licenceOf(folder: string, { license }: Manifest): string {
  const all = readdirSync(folder);
  const read = (file: string) => readFileSync(join(folder, file), 'utf8').replaceAll('\r', '').trim();
  const texts = all.filter((file) => /^(?:licen[cs]e|copying|notice)\b/i.test(file)).map(read);
  if (texts.length > 0) return texts.join('\n\n');
  const readmes = all.filter((file) => /^readme\b/i.test(file)).map(read);
  const [part] = readmes.flatMap((text) => /^#* *licen[cs]e\n[^]*/im.exec(text) ?? []);
  return part ?? `${license} (the package has no text of it)`;
}

/** The licences of all packages that are in bundles, because each asks that its text goes with every copy. */
export function thirdPartyText(
  bundles: readonly { readonly metafile: Metafile; readonly base: string }[],
): string {
  const folders = new Set(bundles.flatMap(({ metafile, base }) => bundledFolders(metafile, base)));
  const namesByText = new Map<string, string[]>();
  for (const folder of [...folders].sort()) {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
    const text = licenceOf(folder, manifest);
    const named = `${manifest.name} ${manifest.version} (${manifest.license})`;
    namesByText.set(text, [...(namesByText.get(text) ?? []), named]);
  }
  const parts = [...namesByText].map(([text, names]) => `== ${names.join(', ')}\n\n${text}\n`);
  return ['The program contains these packages, each under its own licence.\n', ...parts].join('\n');
}
