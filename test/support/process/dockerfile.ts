import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, stat, symlink } from 'node:fs/promises';
import { basename, delimiter, dirname, join, matchesGlob, relative } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** One instruction of a Dockerfile: its word in capitals, and the rest of its lines as one. */
export type Instruction = { readonly word: string; readonly rest: string };

/** A stage of a Dockerfile as directories and settings on this machine. */
export type Image = {
  /** Stands for `/` of the stage. */
  readonly root: string;
  /** The working directory, on this machine. */
  workdir: string;
  readonly env: Record<string, string>;
  command: readonly string[];
  healthcheck: readonly string[];
  stopSignal: string;
};

/** Reads the text of a Dockerfile, without comments and with continued lines joined. */
export function parseDockerfile(text: string): Instruction[] {
  const lines = text.replaceAll(/^\s*#.*\n/gm, '').replaceAll(/\\\n\s*/g, '');
  return [...lines.matchAll(/^([A-Z]+)\s+(.*)$/gm)].map(([, word = '', rest = '']) => ({ word, rest }));
}

/** Reads a .dockerignore: the answer tells whether a path, relative to the context, stays out of the image. */
function parseDockerignore(text: string): (path: string) => boolean {
  const patterns = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return (path) => {
    // A pattern that matches a folder holds for all in it, and the last that matches decides.
    const parts = path.split('/');
    const chain = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
    const last = patterns.findLast((pattern) =>
      chain.some((each) => matchesGlob(each, pattern.replace(/^!/, ''))),
    );
    return last !== undefined && !last.startsWith('!');
  };
}

/** The environment of this process without what npm and jest have put into it. */
export function plainEnvironment(): Record<string, string | undefined> {
  const paths = (process.env['PATH'] ?? '').split(delimiter).filter((path) => !path.includes('node_modules'));
  const outer = Object.entries(process.env).filter(
    ([name]) => !/^(npm_(?!config_registry)|NODE_|JEST_)/.test(name),
  );
  return { ...Object.fromEntries(outer), PATH: [dirname(process.execPath), ...paths].join(delimiter) };
}

async function copy(from: string, rest: readonly string[], image: Image, ignored: (path: string) => boolean) {
  const target = rest.at(-1)!;
  for (const source of rest.slice(0, -1)) {
    if (ignored(source)) throw new Error(`${source} stays out of the image: see .dockerignore`);
    const path = join(from, source);
    const into = target.endsWith('/') && (await stat(path)).isFile() ? join(target, basename(path)) : target;
    await cp(path, join(image.workdir, into), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (each) => !ignored(relative(from, each)),
    });
  }
}

type Lock = { readonly packages: Readonly<Record<string, { version?: string; optional?: boolean }>> };

/** Whether what is installed in a folder is what its lock says: npm keeps a record of what it has installed. */
async function isInstalled(folder: string): Promise<boolean> {
  const read = async (name: string) => JSON.parse(await readFile(join(folder, name), 'utf8')) as Lock;
  const [wanted, record] = await Promise.all([
    read('package-lock.json'),
    read('node_modules/.package-lock.json'),
  ]);
  return Object.entries(wanted.packages).every(
    ([path, { version, optional }]) =>
      path === '' || optional === true || record.packages[path]?.version === version,
  );
}

/**
 * Does what `docker build` would do, with real commands, in one directory per stage below `scratch`, and returns
 * the last stage. Packages come from npm's cache where it has them; the tools of the build are those installed here,
 * where they were installed from the same lock. Left out, because it needs root: USER. Rejects when a command fails, a
 * copied path does not exist or an instruction is unknown.
 */
export async function replayDockerfile(context: string, scratch: string): Promise<Image> {
  const stages = new Map<string, Image>();
  const ignored = parseDockerignore(await readFile(join(context, '.dockerignore'), 'utf8'));
  let image: Image | undefined;

  function stage(name: string): Image {
    const root = join(scratch, name);
    return { root, workdir: root, env: {}, command: [], healthcheck: [], stopSignal: 'SIGTERM' };
  }

  const perform: Record<string, (image: Image, rest: string) => unknown> = {
    ENV({ env }, rest) {
      const [name = '', value = ''] = rest.split('=', 2);
      env[name] = value;
    },
    WORKDIR(current, rest) {
      current.workdir = join(current.root, rest);
      return mkdir(current.workdir, { recursive: true });
    },
    COPY(current, rest) {
      const words = rest.split(/\s+/);
      const from = /^--from=(\w+)$/.exec(words[0]!)?.[1];
      if (from === undefined) return copy(context, words, current, ignored);
      const [, source, target] = words;
      return copy(stages.get(from)!.root, [source!, target!], current, () => false);
    },
    async RUN({ workdir, env }, rest) {
      if (rest === 'npm ci --ignore-scripts' && (await isInstalled(context)))
        return symlink(join(context, 'node_modules'), join(workdir, 'node_modules'));
      const quiet = { npm_config_prefer_offline: 'true', npm_config_audit: 'false' };
      const settings = { ...plainEnvironment(), ...quiet, ...env };
      await run('sh', ['-ec', `exec 2>&1; ${rest}`], { cwd: workdir, env: settings }).catch(
        (error: unknown) => {
          throw new Error(`RUN ${rest}: ${(error as { stdout: string }).stdout}`, { cause: error });
        },
      );
    },
    USER: () => undefined,
    EXPOSE: () => undefined,
    STOPSIGNAL: (current, rest) => (current.stopSignal = rest),
    HEALTHCHECK: (current, rest) =>
      (current.healthcheck = JSON.parse(rest.slice(rest.indexOf('['))) as string[]),
    CMD: (current, rest) => (current.command = JSON.parse(rest) as string[]),
  };

  for (const { word, rest } of parseDockerfile(await readFile(join(context, 'Dockerfile'), 'utf8'))) {
    if (word === 'FROM') {
      const name = rest.split(' AS ')[1]!;
      stages.set(name, (image = stage(name)));
    } else {
      const act = perform[word];
      if (act === undefined || image === undefined) throw new Error(`cannot replay ${word} ${rest}`);
      await act(image, rest);
    }
  }
  if (image === undefined) throw new Error('the Dockerfile has no stage');
  return image;
}
