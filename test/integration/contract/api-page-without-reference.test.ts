import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createFolder, type Folder } from '../../support/process/folder.ts';
import { startGatewayProcess } from '../../support/gateway/gateway-process.ts';
import { startForAll } from '../../support/jest/lifetime.ts';
import { program } from '../../support/process/program.ts';

const PACKAGE = 'swagger-ui-dist';

/** The program in a folder of its own, beside every package but Swagger UI; of that, `files` alone. */
function installWithout(files: readonly string[]): Folder {
  const folder = createFolder('install');
  cpSync(dirname(program()), join(folder.path, 'dist'), { recursive: true });
  cpSync('package.json', join(folder.path, 'package.json'));
  const packages = join(folder.path, 'node_modules');
  mkdirSync(join(packages, PACKAGE), { recursive: true });
  for (const name of readdirSync('node_modules'))
    if (name !== PACKAGE) symlinkSync(resolve('node_modules', name), join(packages, name));
  for (const name of files)
    symlinkSync(resolve('node_modules', PACKAGE, name), join(packages, PACKAGE, name));
  return folder;
}

const installs = [
  { what: 'as npm ci --omit=dev leaves it', files: [] },
  { what: 'with half of its package', files: ['swagger-ui-bundle.js'] },
];

describe.each(installs)('an install without Swagger UI, $what', ({ files }) => {
  const folder = startForAll(() => installWithout(files));
  const gateway = startForAll(() =>
    startGatewayProcess({}, undefined, undefined, join(folder.path, 'dist/main.js')),
  );

  it('serves the API page without a script, and the page says what is missing and where the same stands', async () => {
    const answer = await fetch(`${gateway.url}/docs`);
    const page = await answer.text();
    expect(answer.status).toBe(200);
    expect(page).toContain('The reference is not installed on this gateway.');
    for (const part of ['v1/openapi.json', 'rate_limit_exceeded', 'users:read']) expect(page).toContain(part);
    expect(page).not.toContain('<script');
    const style = /href="([^"]+page\.css[^"]*)"/.exec(page)?.[1] ?? '';
    expect((await fetch(new URL(style, `${gateway.url}/docs`))).status).toBe(200);
  });

  it.each(['swagger-ui-bundle.js', 'swagger-ui.css', 'page.js'])('answers 404 for /docs/%s', async (name) => {
    const answer = await fetch(`${gateway.url}/docs/${name}`);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ error: { code: 'not_found' } });
  });

  it('tells the operator at its start what to install, and keeps serving', async () => {
    expect(gateway.process.out).toMatch(
      /swagger-ui-dist is not installed, so the API page at \/docs has no reference/,
    );
    expect((await fetch(`${gateway.url}/v1/openapi.json`)).status).toBe(200);
  });
});
