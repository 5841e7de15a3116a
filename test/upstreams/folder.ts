import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as z from 'zod';
import { freePort } from '../support/process/free-port.ts';
import { type RunningProcess, startProcess } from '../support/process/running-process.ts';
import { type DraftTarget, draftSchema } from './try-draft.ts';
import { type Holds, holdsSchema, nullable, usualHolds } from './truth.ts';

/** What a folder's package.json says under `upstream`. */
const manifestSchema = z.strictObject({
  /** Sources of `config/examples/`, used as they are, beside those in `sources/`. */
  examples: z.array(z.string()).default([]),
  /** Variables of the sources beside `UPSTREAM_URL`; `{url}` stands for the server's address. */
  env: z.record(z.string(), z.string()).default({}),
  /** Fields that the server cannot hold as unknown. */
  required: z.array(z.enum(nullable)).default([]),
  /** Lists that a draft is made of. */
  drafts: z.array(draftSchema).default([]),
  ...holdsSchema.partial().shape,
  /** What differs for one source, by the name of its file. */
  sources: z.record(z.string(), holdsSchema.partial()).default({}),
});

/** A source file to be tested, with the form in which its answers show the data. */
export type SourceFile = { readonly name: string; readonly file: string; readonly holds: Holds };

/** A folder below `test/upstreams`: a server that others wrote, and the sources in front of it. */
export type Folder = {
  readonly name: string;
  readonly required: z.infer<typeof manifestSchema>['required'];
  readonly sources: readonly SourceFile[];
  /** Lists that a draft is made of, and which of the generated ids they have. */
  readonly drafts: readonly DraftTarget[];
  readonly ids: Holds['ids'];
  /** The variables of its sources, for a server at an address. */
  env(url: string): Readonly<Record<string, string>>;
};

/** A server at work, on a port of 127.0.0.1. */
export type RunningServer = { readonly url: string; readonly process: RunningProcess };

const root = new URL('../../', import.meta.url).pathname;
const here = new URL('./', import.meta.url).pathname;

/** Where servers are installed: in the tree, their thousands of files would be taken for ours. */
const installed = join(root, '.upstreams');

const START_MS = 60_000;

/** What is said, without what is not: an absent key must not hide a default. */
function stated(holds: { readonly [K in keyof Holds]?: Holds[K] | undefined } = {}): Partial<Holds> {
  return Object.fromEntries(Object.entries(holds).filter(([, value]) => value !== undefined));
}

function readFolder(name: string): Folder {
  const { upstream = {} } = JSON.parse(readFileSync(join(here, name, 'package.json'), 'utf8')) as {
    upstream?: unknown;
  };
  const { examples, env, required, sources, drafts, ...holds } = manifestSchema.parse(upstream);
  const own = existsSync(join(here, name, 'sources')) ? readdirSync(join(here, name, 'sources')) : [];
  const files = [
    ...examples.map((example) => join(root, 'config/examples', `${example}.yaml`)),
    ...own.filter((file) => file.endsWith('.yaml')).map((file) => join(here, name, 'sources', file)),
  ];
  return {
    name,
    required,
    drafts,
    ids: holds.ids ?? usualHolds.ids,
    sources: files.map((file) => {
      const source = basename(file, '.yaml');
      return { name: source, file, holds: { ...usualHolds, ...stated(holds), ...stated(sources[source]) } };
    }),
    env: (url) => ({
      UPSTREAM_URL: url,
      ...Object.fromEntries(Object.entries(env).map(([key, text]) => [key, text.replaceAll('{url}', url)])),
    }),
  };
}

/** Every folder with a server. @throws ZodError where a package.json says something unknown under `upstream` */
export function readFolders(): readonly Folder[] {
  const names = readdirSync(here, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return names
    .map(({ name }) => name)
    .filter((name) => existsSync(join(here, name, 'package.json')))
    .map(readFolder);
}

/** Names everything that decides what npm installs. */
function stampOf(folder: string): string {
  const hash = createHash('sha256');
  for (const file of ['package.json', 'package-lock.json'])
    if (existsSync(join(folder, file))) hash.update(readFileSync(join(folder, file)));
  return hash.digest('hex');
}

/** Copies a folder's server to where it is installed, and installs its packages where they have changed. */
export async function installServer({ name }: Pick<Folder, 'name'>): Promise<void> {
  const [from, to] = [join(here, name), join(installed, name)];
  const stampFile = join(to, '.installed');
  const stamp = stampOf(from);
  const known = existsSync(stampFile) ? readFileSync(stampFile, 'utf8') : undefined;
  if (known !== stamp) rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  cpSync(from, to, { recursive: true, filter: (path) => basename(path) !== 'node_modules' });
  if (known === stamp) return;
  const command = existsSync(join(from, 'package-lock.json')) ? 'ci' : 'install';
  // With the whole environment: it says how the registry is reached.
  const npm = spawn('npm', [command, '--no-audit', '--no-fund', '--prefix', to], { stdio: ['ignore', 2, 2] });
  const [code] = (await once(npm, 'close')) as [number | null];
  if (code !== 0) throw new Error(`npm ${command} of ${name} ended with ${code}`);
  writeFileSync(stampFile, stamp);
}

/** Copies a program to where the packages are that it imports. */
function copyInto(folder: string, { name, file }: { readonly name: string; readonly file: string }): string {
  const copy = join(folder, `${name}.js`);
  cpSync(file, copy);
  return copy;
}

/**
 * Starts an installed server on a free port, with data of its own. Rejects where it is not there in a minute. `program`
 * is another one for its packages.
 */
export async function startServer(
  { name }: Pick<Folder, 'name'>,
  data: Readonly<Record<string, readonly object[]>>,
  program?: { readonly name: string; readonly file: string },
): Promise<RunningServer> {
  const folder = join(installed, name);
  const file = join(folder, program === undefined ? 'data.json' : `${program.name}.json`);
  writeFileSync(file, JSON.stringify(data));
  const port = await freePort();
  const env = { PORT: String(port), DATA: file };
  const running =
    program === undefined
      ? startProcess('npm', ['start', '--silent', '--prefix', folder], env)
      : startProcess(process.execPath, [copyInto(folder, program)], env);
  const late = AbortSignal.timeout(START_MS);
  const tooLate = new Promise<never>((_, reject) => {
    late.addEventListener('abort', () =>
      reject(new Error(`${name} did not say "listening": ${running.err}`)),
    );
  });
  try {
    await Promise.race([running.prints(/^listening$/m), tooLate]);
  } catch (error) {
    await running.kill();
    throw error;
  }
  return { url: `http://127.0.0.1:${port}`, process: running };
}
