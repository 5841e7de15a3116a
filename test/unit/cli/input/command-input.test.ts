import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ExitError, exitCodes, type CliContext } from '../../../../src/cli/context/context.ts';
import { sourceNamed, usageError } from '../../../../src/cli/input/choose-source.ts';
import { findListener, ownToken } from '../../../../src/cli/input/operator-listener.ts';
import { isRegularFile, readRegularFile } from '../../../../src/cli/input/regular-file.ts';
import type { CompiledSource } from '../../../../src/source/compile-sources.ts';

let folder = '';
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'portico-input-'))));
afterAll(() => rmSync(folder, { recursive: true }));

/** A context of which errors and variables count. */
function contextOf(env: Readonly<Record<string, string>> = {}) {
  const said: string[] = [];
  return { said, context: { env, err: (text: string) => void said.push(text) } as unknown as CliContext };
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
    expect(sourceNamed('crm', sources, contextOf().context)).toHaveLength(2);
  });

  it.each([
    ['catalogue', 'portico: no source is named "catalogue"; did you mean "catalog"?\n'],
    ['warehouse', 'portico: no source is named "warehouse"; sources: crm, catalog\n'],
  ])('is a mistake of the command line, if there is none: %s', (name, text) => {
    const { said, context } = contextOf();
    expect(() => sourceNamed(name, sources, context)).toThrow(ExitError);
    expect(said).toEqual([text]);
  });

  it('ends the command with the code for its usage', () => {
    const { said, context } = contextOf();
    expect(usageError(context, 'wrong')).toMatchObject({ exitCode: exitCodes.usage });
    expect(said).toEqual(['portico: wrong\n']);
  });
});
