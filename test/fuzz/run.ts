/**
 * `npm run fuzz`: every property of the unit and contract tests with many more cases than the suite has, a new seed
 * each time. It ends with one line; a property that fails tells its seed and its smallest case.
 *
 *   FUZZ_CASES=100000 npm run fuzz
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env, execPath, stdout } from 'node:process';

const cases = env['FUZZ_CASES'] ?? '10000';
const folders = ['test/unit', 'test/contract'];

const files = folders
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  .filter((file) => file.endsWith('.test.ts') && readFileSync(file, 'utf8').includes("from 'fast-check'"));

const scratch = mkdtempSync(join(tmpdir(), 'portico-fuzz-'));
const report = join(scratch, 'report.json');
const { status } = spawnSync(
  execPath,
  [
    ...[
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      'node_modules/jest/bin/jest.js',
    ],
    ...['--selectProjects', 'unit', 'contract', '--testTimeout=900000', '--silent'],
    ...['--json', `--outputFile=${report}`, '--runTestsByPath', ...files],
  ],
  { env: { ...env, FUZZ_CASES: cases }, stdio: ['ignore', 'ignore', 'inherit'] },
);

const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8')) as {
  numPassedTests: number;
  numFailedTests: number;
};
rmSync(scratch, { recursive: true });
stdout.write(
  `${files.length} files with properties, ${cases} cases each: ${numPassedTests} passed, ${numFailedTests} failed\n`,
);
process.exitCode = status ?? 1;
