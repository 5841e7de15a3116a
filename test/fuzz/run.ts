/**
 * `npm run fuzz`: every property of the unit and contract tests with as many new cases as fit into a minute, or into
 * `FUZZ_SECONDS`; to load the files comes on top. It prints its seed, and with that the command that tries the same cases again. What it finds belongs
 * into the suite as a fixed case: an `examples` of the property, or a test of its own.
 *
 *   FUZZ_SECONDS=600 npm run fuzz
 */
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env, execPath, stdout } from 'node:process';

/** Workers of jest, as in `jest.config.js`. */
const WORKERS = 2;
/** A property gets this at least, however many there are, in ms. */
const PROPERTY_MS_MIN = 50;
const seconds = Number(env['FUZZ_SECONDS'] ?? 60);
const seed = env['FUZZ_SEED'] ?? String(randomInt(2 ** 31));
const again = `FUZZ_SEED=${seed} FUZZ_SECONDS=${seconds} npm run fuzz`;

const files = ['test/unit', 'test/contract']
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => ({ file, properties: readFileSync(file, 'utf8').split('fc.assert(').length - 1 }))
  .filter(({ properties }) => properties > 0);
const properties = files.reduce((sum, one) => sum + one.properties, 0);
const propertyMs = Math.max(PROPERTY_MS_MIN, Math.floor((seconds * 1_000 * WORKERS) / properties));
stdout.write(`${properties} properties, ${propertyMs} ms each, seed ${seed}. Again: ${again}\n`);

const scratch = mkdtempSync(join(tmpdir(), 'portico-fuzz-'));
const report = join(scratch, 'report.json');
const { status } = spawnSync(
  execPath,
  [
    '--disable-warning=ExperimentalWarning',
    'node_modules/jest/bin/jest.js',
    ...['--selectProjects', 'unit', 'contract', '--testTimeout=900000', '--silent'],
    ...['--json', `--outputFile=${report}`, '--runTestsByPath', ...files.map(({ file }) => file)],
  ],
  {
    env: { ...env, FUZZ_SEED: seed, FUZZ_PROPERTY_MS: String(propertyMs) },
    stdio: ['ignore', 'ignore', 'inherit'],
  },
);

const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8')) as {
  numPassedTests: number;
  numFailedTests: number;
};
rmSync(scratch, { recursive: true });
stdout.write(`${properties} properties: ${numPassedTests} tests passed, ${numFailedTests} failed\n`);
if (status !== 0) stdout.write(`Again: ${again}\n`);
process.exitCode = status ?? 1;
