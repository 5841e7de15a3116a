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
/** How guides start Portico. It starts from source: three times the CPU time, and `test/e2e/try.test.ts` has it. */
const BY_NPM = 'npm run -s portico --';

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

/** Follows a guide in one shell, as a reader does; `home` is the folder that its commands name. */
export async function followGuide(file: string, home: string, port: string): Promise<FollowedGuide> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-guide-'));
  const places = new Map([
    [home, folder],
    [BY_NPM, `node ${program()}`],
  ]);
  for (const one of [port, '8080', '9090']) places.set(one, String(await freePort()));
  const placed = (text: string) =>
    [...places].reduce((done, [written, actual]) => done.replaceAll(written, actual), text);
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
