import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exitCodes, type CliContext } from '../../../../src/cli/context/context.ts';
import { resourcesOfSource } from '../../../../src/cli/input/choose-source.ts';
import { findListener, ownToken } from '../../../../src/cli/input/operator-listener.ts';
import { isRegularFile, readRegularFile } from '../../../../src/cli/input/regular-file.ts';
import type { CompiledSource } from '../../../../src/source/compile-sources.ts';
import { runCommand } from '../../../support/command/run-command.ts';

let folder = '';
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'portico-input-'))));
afterAll(() => rmSync(folder, { recursive: true }));

/** A context of which only the variables count. */
function contextOf(env: Readonly<Record<string, string>> = {}) {
  return { context: { env } as unknown as CliContext };
}

/** A file in the folder of this test. */
function fileWith(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe('a file that a command reads', () => {
  it('is read if it is one, or a link to one', () => {
    const path = fileWith('a.yaml', 'a: 1');
    symlinkSync(path, join(folder, 'link.yaml'));
    expect(readRegularFile(join(folder, 'link.yaml'))).toBe('a: 1');
    expect(isRegularFile(path)).toBe(true);
  });

  it.each(['/dev/null', tmpdir()])('is refused if it is none: %s', (path) => {
    expect(isRegularFile(path)).toBe(false);
    expect(() => readRegularFile(path)).toThrow('no regular file');
  });

  it('is no file if it is missing', () => {
    expect(isRegularFile(join(folder, 'missing'))).toBe(false);
    expect(() => readRegularFile(join(folder, 'missing'))).toThrow('ENOENT');
  });
});

describe('the token of an operator', () => {
  it('is that of the file, before that of the variable', () => {
    expect(ownToken(fileWith('token', 'from-file\n'), { PORTICO_ADMIN_TOKEN: 'from-env' })).toBe('from-file');
    expect(ownToken(undefined, { PORTICO_ADMIN_TOKEN: 'from-env' })).toBe('from-env');
  });

  it.each([undefined, ''])('is none if the variable is %j', (text) => {
    expect(ownToken(undefined, { PORTICO_ADMIN_TOKEN: text })).toBeUndefined();
  });
});

describe('the listener that a command asks', () => {
  const gateway = (admin: string) => {
    mkdirSync(join(folder, 'sources'), { recursive: true });
    return fileWith(
      'portico.yaml',
      `portico: 1\nadmin: ${admin}\nresources: {}\nlimits: { tiers: {} }\nbroken: true\n`,
    );
  };

  it('is the one that is named, without a slash at its end', () => {
    const { context } = contextOf();
    const found = findListener({ address: 'http://gateway:9090//' }, gateway('{ port: 9090 }'), context);
    expect(found).toEqual({ address: 'http://gateway:9090', token: undefined });
  });

  it('is that of the configuration, with its token, although the file is broken elsewhere', () => {
    const { context } = contextOf();
    const file = gateway("{ host: 127.0.0.1, port: 9191, token: 'a-token-of-sixteen-chars' }");
    expect(findListener({}, file, context)).toEqual({
      ...{ address: 'http://127.0.0.1:9191', token: 'a-token-of-sixteen-chars' },
    });
  });

  it("prefers the operator's own token to that of the configuration", () => {
    const { context } = contextOf({ PORTICO_ADMIN_TOKEN: 'my-own' });
    const file = gateway("{ host: 127.0.0.1, port: 9191, token: 'a-token-of-sixteen-chars' }");
    expect(findListener({}, file, context).token).toBe('my-own');
  });
});

describe('the source that a command names', () => {
  const sources = ['crm', 'crm', 'catalog'].map(
    (name, index) => ({ source: { spec: { name } }, index }) as unknown as CompiledSource,
  );

  it('has all of its resources', () => {
    expect(resourcesOfSource('crm', sources)).toHaveLength(2);
  });

  it.each([
    ['catalogue', 'no source is named "catalogue"; did you mean "catalog"?'],
    ['warehouse', 'no source is named "warehouse"; sources: crm, catalog'],
  ])('is a mistake of the command line, if there is none: %s', (name, message) => {
    expect(() => resourcesOfSource(name, sources)).toThrow(
      expect.objectContaining({ exitCode: exitCodes.usage, message }),
    );
  });

  it('ends the command with the code for its usage, and with the reason', async () => {
    expect(await runCommand(['doctor'])).toEqual({
      ...{ code: exitCodes.usage, out: '' },
      err: 'portico: name a source, or its file with --source\n',
    });
  });
});
