import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const root = new URL('../../../', import.meta.url).pathname;

const ours = ['src', 'test', 'config', '.ci'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    // The bench and the upstreams have packages of their own, once they have run.
    .filter((entry) => entry.isFile() && !entry.parentPath.slice(root.length).includes('node_modules'))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length)),
);
const top = readdirSync(root, { withFileTypes: true });
const loose = top.filter((entry) => entry.isFile() && entry.name !== 'package-lock.json');
const files = [...ours, ...loose.map((entry) => entry.name)];

const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** Where the pattern stands in the files, as `file:line`. */
function found(pattern: RegExp, among: readonly string[]): string[] {
  return among.flatMap((file) =>
    read(file)
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}`] : [])),
  );
}

describe('the tree', () => {
  it('has nothing at the top that does not belong there', () => {
    const ignored = read('.gitignore').split('\n');
    const allowed =
      /^(?:\..*|src|test|config|package(?:-lock)?\.json|tsconfig.*\.json|README\.md|LICENSE|Dockerfile|docker-compose\.yml|(?:eslint|jest)\.config\.js)$/;
    const names = top.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
    const odd = names.filter((name) => !ignored.includes(name) && !allowed.test(name.replace('/', '')));
    expect(odd.filter((name) => !name.endsWith('.log'))).toEqual([]);
  });

  it('names files and folders in kebab-case, for what they answer', () => {
    const sources = ours.filter((file) => file.endsWith('.ts'));
    expect(sources.filter((file) => !/^[a-z0-9-]+(?:\/[a-z0-9-]+)*(?:\.test|\.d)?\.ts$/.test(file))).toEqual(
      [],
    );
    expect(
      sources.filter((file) =>
        /\/(?:index|utils?|helpers?|common|misc|manager|shared|service)(?:\/|\.ts$)/.test(file),
      ),
    ).toEqual([]);
  });
});

describe('what is written in it', () => {
  it('says nothing of the machine it was written on', () => {
    // What stands behind /Users/ is a folder only with more behind it: SCIM has its users there.
    const places = /(?:^|[\s'"`=(])\/(?:(?:work|root|home|tmp)\/|Users\/[\w.-]+\/)/;
    expect(found(places, files)).toEqual([]);
  });

  it('holds no credential of the real world', () => {
    expect(
      found(/\b(?:npm_|gh[pousr]_|glpat-|AKIA)[A-Za-z0-9]{16,}|-----BEGIN [A-Z ]*PRIVATE KEY/, files),
    ).toEqual([]);
  });

  it('leaves nothing for later', () => {
    expect(found(/\b(?:TO[D]O|FIX[M]E)\b/, files)).toEqual([]);
  });

  it('says why wherever a rule is switched off', () => {
    expect(found(/eslint-disable(?!.* -- \S)|@ts-(?:ignore|nocheck|expect-error\s*$)/, ours)).toEqual([]);
  });

  it('runs every test, or says in its name why it is skipped', () => {
    const tests = ours.filter((file) => file.startsWith('test/'));
    expect(found(/\.(?:only|todo|failing)\b(?=[(.`])|\b[fx](?:it|describe|test)\(/, tests)).toEqual([]);
    expect(found(/\.skip\((?!.*\((?:set|not run here))/, tests)).toEqual([]);
  });
});
