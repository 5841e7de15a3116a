import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { name as nameSchema } from '../config/schema/scalars.ts';
import { type ResourceName, resourceNames } from '../contract/resources.ts';
import { inferSource, type InferredSource } from '../draft/infer-source.ts';
import { readSample } from '../draft/read-sample.ts';
import { InferError } from '../draft/infer-error.ts';
import { type CliContext, ExitError, exitCodes } from './context.ts';
import { draftReport } from '../draft/write/draft-report.ts';
import { renderText } from '../explain/report/report.ts';
import { printReport } from './output/print-report.ts';

/** The options of `portico infer`. */
type Options = {
  readonly resource: ResourceName;
  readonly header: readonly string[];
  readonly method?: 'GET' | 'POST';
  readonly body?: string;
  readonly name?: string;
  readonly one?: string;
  readonly oneBody?: string;
  readonly sample?: readonly string[];
  readonly out?: string;
  readonly callsMax: number;
  readonly timeout: number;
  readonly json?: boolean;
};

const CALLS_MAX = 400;
const TIMEOUT_S = 15;
const PLACEHOLDER_URL = 'http://service.invalid/';

function whole(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text))
    throw new InvalidArgumentError('Expected a whole number from 1 to 99999.');
  return Number(text);
}

function sourceName(text: string): string {
  if (nameSchema.safeParse(text).success) return text;
  throw new InvalidArgumentError('Expected a name of a-z, 0-9, - and _, starting with a letter.');
}

const collect = (line: string, lines: readonly string[]) => [...lines, line];

function readFile(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    throw new InferError(`${file} cannot be read`);
  }
}

const readText = (file: string | undefined) =>
  file === undefined ? undefined : readFile(file).toString('utf8');

async function infer(
  url: string | undefined,
  options: Options,
  context: CliContext,
): Promise<InferredSource> {
  const { resource, header, method, one, name, sample = [], callsMax, timeout } = options;
  if (url === undefined && sample.length === 0)
    throw new InferError(
      'there is nothing to look at',
      'name the address of the list, or saved replies with --sample',
    );
  return inferSource({
    url: url ?? PLACEHOLDER_URL,
    resource,
    headers: header,
    method,
    body: readText(options.body),
    name,
    one,
    oneBody: readText(options.oneBody),
    samples: sample.map((file) => readSample(basename(file), readFile(file))),
    callsMax,
    timeoutMs: timeout * 1_000,
    signal: context.stop,
  });
}

async function runInfer(url: string | undefined, options: Options, context: CliContext): Promise<void> {
  let inferred: InferredSource;
  try {
    inferred = await infer(url, options, context);
  } catch (error) {
    if (!(error instanceof InferError)) throw error;
    context.err(`portico: ${error.message}\n${error.hint === undefined ? '' : `    hint: ${error.hint}\n`}`);
    throw new ExitError(exitCodes.failure);
  }
  if (options.out !== undefined) writeFileSync(options.out, inferred.text, { flag: 'wx' });
  const report = draftReport(inferred, options.out);
  if (options.json === true) {
    printReport(report, true, context);
    return;
  }
  // The draft alone goes to standard output, so that it can be piped into a file.
  if (options.out === undefined) context.out(inferred.text);
  context.err(renderText(report.blocks));
}

/** Adds `portico infer` to the command line. */
export function registerInferCommand(program: Command, context: CliContext): void {
  program
    .command('infer')
    .description('look at a service, or at saved replies of one, and write a commented draft of its source')
    .argument('[url]', 'the address of the list')
    .addOption(
      new Option('--resource <name>', 'what the list is of').choices(resourceNames).makeOptionMandatory(),
    )
    .option(
      '--header <line>',
      "a header of every call, such as 'Authorization: Bearer …'; repeatable",
      collect,
      [],
    )
    .addOption(
      new Option('--method <method>', 'POST only where the service reads by it').choices(['GET', 'POST']),
    )
    .option('--body <file>', 'the body of the request: JSON or XML; makes it a POST')
    .option('--name <name>', 'the name of the source; default: of the host', sourceName)
    .option('--one <address>', 'the view of one record, with an id of the list in it')
    .option('--one-body <file>', 'the body of a request for one record, with an id of the list in it')
    .option(
      '--sample <file...>',
      'saved replies to look at, in place of the service: a body, or with headers',
    )
    .option('--out <file>', 'where to write the draft; default: standard output')
    .option('--calls-max <number>', 'the most calls the service may be asked', whole, CALLS_MAX)
    .option('--timeout <seconds>', 'the longest a call may take', whole, TIMEOUT_S)
    .option('--json', 'print the draft and every guess as JSON')
    .action((url: string | undefined, options: Options) => runInfer(url, options, context));
}
