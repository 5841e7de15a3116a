// `portico init`: writes the files of a gateway into a folder, with a draft of the sources that are named.

import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { styleText } from 'node:util';
import { isSecretName } from '../../config/yaml/hide-secrets.ts';
import { closest } from '../../config/validate/closest.ts';
import type { Contract } from '../../contract/resource.ts';
import { type ReportBlock, renderText } from '../../workbench/explain/report/report.ts';
import { type CliContext, type CommandLine, ExitError, exitCodes } from '../context/context.ts';
import { CALLS_MAX, draftSource, endByInferError, TIMEOUT_S } from '../infer/infer.ts';
import { readGatewayContract, readSource } from '../input/read-config.ts';
import { readRegularFile } from '../input/regular-file.ts';
import { quoted } from '../output/plain-output.ts';
import { printBlocks } from '../output/print-report.ts';
import { type FoundSources, sampleSources, starterFiles, writeStarterFile } from './starter-files.ts';

/** The options of `portico init`. */
type InitOptions = {
  readonly from: readonly string[];
  readonly header: readonly string[];
  readonly minimal?: boolean;
  readonly yes?: boolean;
};

/** A list to draft a source of: `users=http://…`. */
type Address = { readonly resource: string; readonly url: URL };

const collect = (text: string, texts: readonly string[]) => [...texts, text];

/** Makes the function that asks one question, with what an empty answer means; without a terminal, that is the answer. */
function asking({ ask, terminals }: CliContext, isSilent: boolean) {
  return async (question: string, byDefault: string): Promise<string> => {
    if (isSilent || ask === undefined) return '';
    const text =
      terminals?.err?.hasColours === true ? styleText('bold', question, { validateStream: false }) : question;
    return (await ask(`${text} (${byDefault}) `)).trim();
  };
}

type Ask = ReturnType<typeof asking>;

/** The resource that an address speaks of: by a word of its path that is, or resembles, the name of one. */
function resourceIn({ pathname }: URL, names: readonly string[]): string | undefined {
  const words = pathname.split('/').filter((word) => word !== '');
  return (
    names.find((name) => words.includes(name)) ?? words.flatMap((word) => closest(word, names) ?? []).at(-1)
  );
}

/** Reads an address of `--from`, with the name of its resource or without. @throws ExitError */
function readAddress(text: string, names: readonly string[], named: string): Address {
  const [, given, address = ''] = /^(?:([a-z][\w-]*)=)?(.*)$/s.exec(text) ?? [];
  const hint = `--from ${names[0] ?? '<name>'}=https://crm.example/people; names: ${names.join(', ')}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new ExitError(
      exitCodes.usage,
      `${address} is no address: it does not begin with http:// or https://`,
      hint,
    );
  const resource = given ?? (named === '' ? resourceIn(url, names) : named);
  if (resource !== undefined && names.includes(resource)) return { resource, url };
  const problem =
    resource === undefined
      ? `nothing in ${url.pathname} says what it lists`
      : `the contract has no list of ${resource}`;
  throw new ExitError(exitCodes.usage, problem, hint);
}

/** The addresses to draft from: of the command line, or asked for. The third question is for a credential. */
async function askForSources(options: InitOptions, { resources }: Contract, ask: Ask) {
  const names = [...resources.values()].filter(({ hasList }) => hasList).map(({ name }) => name);
  const answer =
    options.from.length > 0
      ? ''
      : await ask('The address of a list of your service?', 'none: the sample services');
  const from = answer === '' ? options.from : [answer];
  const [only = ''] = from.length === 1 ? from : [];
  const isPlain = URL.canParse(only) && resourceIn(new URL(only), names) === undefined;
  const named = isPlain ? await ask(`What does it list: ${names.join(' or ')}?`, 'none: stop') : '';
  const addresses = from.map((text) => readAddress(text, names, named));
  const isAsked = addresses.length > 0 && options.header.length === 0;
  const header = isAsked ? await ask("A header that lets you in, such as 'X-Api-Key: …'?", 'none') : '';
  return { addresses, header: header === '' ? options.header : [header] };
}

/** An address without its credentials: the operator puts them in again. */
const withoutSecrets = ({ href }: URL) =>
  href
    .replace(/(?<=\/\/)[^/@]*@/, '')
    .replaceAll(/([^?&=]+)=[^&#]*/g, (all, name: string) => (isSecretName(name) ? `${name}=…` : all));

/** The commands that draft a source again in the folder, beside the file, and those that draft what is not in it. */
function draftAgain(
  { file, open, served }: Awaited<ReturnType<typeof draftSource>>,
  addresses: readonly Address[],
  header: readonly string[],
  run: string,
): readonly ReportBlock[] {
  const own = basename(file);
  const infer = (some: readonly Address[], ...more: readonly string[]) =>
    [
      `${run} infer`,
      ...some.map((one) => `--resource ${quoted(`${one.resource}=${withoutSecrets(one.url)}`)}`),
      ...header.map((line) => `--header ${quoted(line.replace(/:.*$/s, ': …'))}`),
      ...more,
    ].join(' ');
  const options = open.flatMap(({ name, hasSingle }) => [
    `--id '${name}=<column>' --map '${name}.<field>=<column>'`,
    ...(hasSingle ? [`--one '${name}=<address of one record>'`] : []),
  ]);
  const isServed = ({ resource }: Address) => served.includes(resource);
  const missing = addresses.filter((one) => !isServed(one));
  const named = `--name ${own.replace(/\.yaml$/, '')} --out ${own}`;
  const again = {
    heading: `To settle what is to edit in sources/${own}, edit it; or draft it again: fill in what you know behind --out, and delete the other options there:`,
    blocks: [infer(addresses.filter(isServed), named, ...options), `mv ${own} sources/${own}`],
  };
  const others = {
    heading: 'To draft what is missing, for the reason above, into a file of its own:',
    blocks: missing.map((one) => infer([one], `--name ${one.resource}`)),
  };
  return [...(open.length > 0 ? [again] : []), ...(missing.length > 0 ? [others] : [])];
}

/** Drafts a source of each host, and returns what was found. @throws InferError */
async function draftAll(
  { addresses, header }: Awaited<ReturnType<typeof askForSources>>,
  configFile: string,
  context: CliContext,
  run: string,
) {
  const byHost = Map.groupBy(addresses, ({ url }) => url.origin);
  const blocks: ReportBlock[] = [];
  const again: ReportBlock[] = [];
  let isComplete = true;
  for (const group of byHost.values()) {
    const { resource: name = '' } = group[0] ?? {};
    const resource = group.map((one) => `${one.resource}=${one.url.href}`);
    const none = { body: [], one: [], oneBody: [], id: [], map: [] };
    const bounds = { callsMax: CALLS_MAX, timeout: TIMEOUT_S };
    // Two hosts may have no name of their own.
    const named = byHost.size > 1 ? { name } : {};
    const drafted = await draftSource(
      undefined,
      { resource, header, ...none, ...bounds, ...named },
      configFile,
      context,
    );
    blocks.push(...drafted.report.blocks);
    isComplete &&= drafted.isComplete;
    again.push(...draftAgain(drafted, group, header, run));
  }
  return { blocks, again, isComplete };
}

const sourceFilesIn = (folder: string) =>
  readdirSync(join(folder, 'sources'))
    .filter((name) => /\.ya?ml$/.test(name))
    .sort()
    .map((name) => join(folder, 'sources', name));

/** What the sources of the folder serve, and which variables they need. @throws ConfigError if one is broken */
function findSources(folder: string): FoundSources {
  const files = sourceFilesIn(folder);
  const compiled = files.flatMap((file) => readSource(file)).reverse();
  const named = files.flatMap((file) => [...readRegularFile(file).matchAll(/\$\{([A-Z]\w*)\}/g)]);
  return {
    // If two have one resource, the first by name serves it.
    served: new Map(compiled.map(({ resource, source }) => [resource.name, source.spec.name])),
    variables: [...new Set(named.map(([, name = '']) => name))],
  };
}

/** Makes the folder with its folder of sources. @throws ExitError if it is a file */
function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new ExitError(exitCodes.usage, `${folder} is a file`, 'name a folder, which may be there or not');
  mkdirSync(join(folder, 'sources'), { recursive: true });
}

/** What to do next, in the folder; `run` runs a command of Portico there. */
function nextSteps(
  folder: string,
  isMinimal: boolean,
  hasSamples: boolean,
  { variables }: FoundSources,
  run: string,
): ReportBlock {
  const file = hasSamples ? 'sources/crm.yaml' : sourceFilesIn(folder)[0]?.slice(folder.length + 1);
  return {
    heading: 'Next:',
    blocks: [
      ...(folder === '.' ? [] : [`cd ${quoted(folder)}`]),
      'npm install <path or address of the tarball of Portico>',
      'cp .env.example .env    # and fill in each line',
      ...(hasSamples ? [`${run} samples all &`] : []),
      `${variables.map((name) => `${name}=… `).join('')}${run} try ${file ?? 'sources/<name>.yaml'}`,
      isMinimal ? `${run} start` : 'npm start',
    ],
  };
}

async function runInit(folder: string, options: InitOptions, context: CliContext): Promise<void> {
  const configFile = join(folder, 'portico.yaml');
  makeFolder(folder);
  const hasSources = sourceFilesIn(folder).length > 0;
  const nothing = { addresses: [], header: [] };
  const contract = readGatewayContract(configFile);
  const ask = asking(context, options.yes === true);
  const wanted = hasSources ? nothing : await askForSources(options, contract, ask);
  const isMinimal = options.minimal === true;
  const run = isMinimal ? 'node_modules/.bin/portico' : 'npm run -s portico --';
  const drafted = await endByInferError(() => draftAll(wanted, configFile, context, run));
  const samples = hasSources || wanted.addresses.length > 0 ? [] : sampleSources;
  const written = samples.map((file) => writeStarterFile(folder, file));
  const found = findSources(folder);
  const files = starterFiles(found, isMinimal).map((file) => writeStarterFile(folder, file));
  const sources = sourceFilesIn(folder).map(
    (file) => `${hasSources ? 'as it is' : 'written '} ${file.slice(folder.length + 1)}`,
  );
  const isSample = sampleSources.every(({ path }) => existsSync(join(folder, path)));
  const all = [...(written.length > 0 ? written : sources), ...files];
  printBlocks(
    [{ heading: `${folder}:`, blocks: all }, nextSteps(folder, isMinimal, isSample, found, run)],
    context,
  );
  if (hasSources && options.from.length > 0)
    printBlocks(['No source was drafted, because sources/ has files: portico infer adds more.'], context);
  printBlocks(drafted.blocks, context);
  // People paste these commands, so their lines are not broken.
  context.out(renderText(drafted.again));
  if (!drafted.isComplete) throw new ExitError(exitCodes.failure);
}

/** Adds `portico init` to the command line. */
export function registerInitCommand({ program, context }: CommandLine): void {
  program
    .command('init')
    .description('write the files of a gateway of your own, and draft the sources of your services')
    .argument('[folder]', 'the folder; nothing in it is replaced', '.')
    .option('--from <[resource=]url>', 'the address of a list to draft a source of; repeatable', collect, [])
    .option('--header <line>', "a header of every call, such as 'X-Api-Key: …'; repeatable", collect, [])
    .option('--minimal', 'the configuration alone: no contract.yaml, package.json or docker-compose.yml')
    .option('--yes', 'ask nothing')
    .action((folder: string, options: InitOptions) => runInit(folder, options, context));
}
