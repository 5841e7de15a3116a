import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { compileCache } from '../../support/process/compile-cache.ts';
import { freePort } from '../../support/process/free-port.ts';
import { program } from '../../support/process/program.ts';
import { readDocument } from './document.ts';

const run = promisify(execFile);
const root = new URL('../../../', import.meta.url).pathname;
const MARK = '--- block ---';

/** What a guide says, each with what stands in its place here. */
export type Places = ReadonlyMap<string, string>;

/** How a guide in a clone starts Portico. From source it takes three times the CPU time, and `test/e2e/try.test.ts` has it. */
export const inClone = (): Places => new Map([['npm run -s portico --', `node ${program()}`]]);

/** How a guide with the tarball starts Portico. `npm run test:package` follows it with the tarball itself. */
export const inFolder = (): Places =>
  new Map([
    ['npx --yes --package="$TARBALL" portico', `node ${program()}`],
    ['npm install --no-audit --no-fund "$TARBALL"', 'true'],
    ['npm run -s portico --', `node --env-file=.env ${program()}`],
    ['npm start', `node --env-file=.env ${program()} start`],
  ]);

/** A block of commands of a guide, what the guide says that it prints, and its place among such blocks. */
export type GuideStep = {
  readonly script: string;
  readonly shown: string;
  readonly index: number;
  readonly first: string;
};

/** The blocks of commands of a guide, in order. */
export function stepsOf(file: string): readonly GuideStep[] {
  const { blocks } = readDocument(file);
  const steps = blocks.flatMap(({ language, text }, index) => {
    const next = blocks[index + 1];
    return language === 'sh' ? [{ script: text, shown: next?.language === 'text' ? next.text : '' }] : [];
  });
  return steps.map((step, index) => ({ ...step, index, first: step.script.split('\n', 1)[0] ?? '' }));
}

/** A guide that was followed in a folder and on ports of its own. */
export type FollowedGuide = {
  readonly folder: string;
  /** How long all its commands took. */
  readonly seconds: number;
  /** What a block printed, and what the guide says, if that is something else; … stands for anything. */
  readonly mismatch: (step: GuideStep) => { readonly printed: string; readonly shown: string } | undefined;
  readonly remove: () => void;
};

/** Follows a guide in one shell, as a reader does; `home` is the folder that its commands name, `ports` its ports. */
export async function followGuide(
  file: string,
  home: string,
  ports: readonly string[],
  written: Places,
  more: Readonly<Record<string, string>> = {},
): Promise<FollowedGuide> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-guide-'));
  const places = new Map([[home, folder], ...written]);
  for (const one of [...ports, '8080', '9090']) places.set(one, String(await freePort()));
  const placed = (text: string) =>
    [...places].reduce((done, [said, actual]) => done.replaceAll(said, actual), text);
  const marked = stepsOf(file)
    .map(({ script }) => `${placed(script)}\necho '${MARK}'`)
    .join('\n');
  // Whatever happens, nothing of the session outlives it.
  const session = `shopt -s expand_aliases\ntrap 'kill $(jobs -p) 2> /dev/null' EXIT\n${marked}`;
  const began = performance.now();
  const { stdout } = await run('bash', ['-c', `exec 2>&1\n${session}`], {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      NODE_COMPILE_CACHE: compileCache(),
      PORT: places.get('8080'),
      ADMIN_PORT: places.get('9090'),
      ...more,
    },
  });
  const seconds = (performance.now() - began) / 1_000;
  const printed = stdout.replaceAll('\r', '').split(`${MARK}\n`);
  return {
    folder,
    seconds,
    mismatch({ index, shown }) {
      const actual = printed[index] ?? 'the session ended before this block';
      const parts = placed(shown.trim())
        .split('…')
        .map((part) => RegExp.escape(part));
      const isShown = new RegExp(parts.join('[^]*'), 'u').test(actual);
      return isShown ? undefined : { printed: actual, shown: placed(shown) };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
