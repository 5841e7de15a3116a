import type { CompiledSource } from '../pipeline/compile-sources.ts';
import { recordReport } from '../explain/report/fixtures-report.ts';
import { printReport } from './output/print-report.ts';
import { withProgress } from './output/progress.ts';
import { recordSource } from '../fixtures/record-source.ts';
import { type CliContext, ExitError, exitCodes } from './context.ts';
import { liveSourceNamed, usageError } from './input/choose-source.ts';

/** The options of `portico test --record`. */
export type RecordingOptions = {
  readonly whole?: boolean;
  /** Deprecated: masking has become the default. */
  readonly scramble?: boolean;
  readonly overwrite?: boolean;
  readonly json?: boolean;
};

const WHOLE =
  'note: --whole keeps every value of the replies, personal data included: read the files before you share them\n';
const SCRAMBLE_WARNING =
  'portico: --scramble is deprecated and changes nothing: recordings are masked by default, --whole keeps all\n';

function readRequests(texts: readonly string[], context: CliContext): readonly string[] {
  const wrong = texts.find((text) => !/^(?:GET )?\/v1\/\S+$/.test(text));
  if (wrong !== undefined)
    throw usageError(context, `"${wrong}" is no request: write it like 'GET /v1/users?page=2'`);
  return texts.map((text) => (text.startsWith('GET ') ? text : `GET ${text}`));
}

/**
 * `portico test --record <source> [request …]`: records fixtures from the live source. Exit code 1 where a request
 * could not be recorded.
 */
export async function runRecord(
  [name, ...texts]: readonly string[],
  options: RecordingOptions,
  compiled: readonly CompiledSource[],
  context: CliContext,
): Promise<void> {
  const names = [...new Set(compiled.map(({ source }) => source.spec.name))];
  if (name === undefined)
    throw usageError(context, `--record needs the name of a source; sources: ${names.join(', ')}`);
  const sources = liveSourceNamed(name, compiled, context);
  const requests = readRequests(texts, context);
  if (options.scramble === true) context.err(SCRAMBLE_WARNING);
  if (options.whole === true) context.err(WHOLE);
  const results = await withProgress({ title: `record ${name}`, quiet: options.json }, context, () =>
    recordSource(sources, {
      requests,
      keepsWhole: options.whole === true,
      overwrites: options.overwrite === true,
      signal: context.stop,
    }),
  );
  printReport(recordReport(results), options.json, context);
  if (results.some(({ problem }) => problem !== undefined)) throw new ExitError(exitCodes.failure);
}
