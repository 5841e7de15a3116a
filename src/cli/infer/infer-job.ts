// Reads from the command line what `portico infer` has to draft, and finds mistakes before the service is asked.

import { type CliContext, ExitError, exitCodes } from '../context/context.ts';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Contract, Resource } from '../../contract/resource.ts';
import { compileDialects } from '../../workbench/infer/dialects/compile-dialects.ts';
import type { Dialect } from '../../workbench/infer/dialects/dialect.ts';
import { InferError } from '../../workbench/infer/notes/note.ts';
import type { InferOptions } from '../../workbench/infer/infer-source.ts';
import { readSample } from '../../workbench/infer/requests/read-sample.ts';
import { readInferTarget } from '../../workbench/infer/requests/read-target.ts';
import { closest } from '../../config/validate/closest.ts';
import { sortByReferences } from './draft-order.ts';
import { openInto } from './open-into.ts';
import { shippedExamples } from '../input/shipped-files.ts';

/** A text for a named resource, `name=http://…`, or for the one resource of this run, `http://…`. */
type ForResource = { readonly resource: Resource | undefined; readonly text: string };

/** The options of `portico infer`. */
export type InferArguments = {
  readonly resource: readonly string[];
  readonly header: readonly string[];
  readonly method?: 'GET' | 'POST';
  readonly body: readonly string[];
  readonly name?: string;
  readonly one: readonly string[];
  readonly oneBody: readonly string[];
  /** The path of the id. */
  readonly id: readonly string[];
  /** `field=path`. */
  readonly map: readonly string[];
  readonly sample?: readonly string[];
  readonly out?: string;
  readonly into?: string;
  readonly callsMax: number;
  readonly timeout: number;
  readonly json?: boolean;
};

/** What `portico infer` has to do, checked before the service is asked. */
export type InferJob = {
  readonly name: string;
  /** What to draft, resource by resource. */
  readonly drafts: readonly [InferOptions, ...InferOptions[]];
  /** The source file that the resources are added to. */
  readonly into: ReturnType<typeof openInto>['into'] | undefined;
  /** The file to write; absent: the draft goes to standard output. */
  readonly out: string | undefined;
};

/** What the job needs of the process around it. */
export type JobContext = Pick<CliContext, 'env' | 'stop'> & {
  readonly configFile: string;
  readonly contract: Contract;
};

/** The dialects, compiled once, with the first job. */
let dialects: readonly Dialect[] | undefined;

const PLACEHOLDER_URL = 'http://service.invalid/';

function readFile(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    throw new InferError(`${file} cannot be read`);
  }
}

/** Splits `name=text`; a text without the name of a resource of the contract is for the one resource of this run. */
function readForResource(text: string, { resources }: Contract): ForResource {
  const resource = [...resources.values()].find(({ name }) => text.startsWith(`${name}=`));
  return { resource, text: resource === undefined ? text : text.slice(resource.name.length + 1) };
}

type SplitOptions = ReturnType<typeof splitArguments>;

/** The options of which each may be for one resource. */
function splitArguments(args: InferArguments, contract: Contract) {
  const of = (texts: readonly string[]) => texts.map((text) => readForResource(text, contract));
  // `users.name=…`, as a draft writes it, is `users=name=…`.
  const byResource = (all: string, name: string) => (contract.resources.has(name) ? `${name}=` : all);
  return {
    resource: of(args.resource),
    body: of(args.body),
    one: of(args.one),
    oneBody: of(args.oneBody),
    id: of(args.id),
    map: of(args.map.map((text) => text.replace(/^([a-z][\w-]*)\.(?=[\w.]+=)/, byResource))),
  };
}

/** A resource by its name. @throws ExitError */
function resourceNamed(name: string, { resources }: Contract): Resource {
  const resource = resources.get(name);
  if (resource !== undefined) return resource;
  const names = [...resources.keys()];
  const near = closest(name, names);
  throw new ExitError(
    exitCodes.usage,
    `the contract has no resource ${name}`,
    `${near === undefined ? '' : `did you mean ${near}? `}--resource <name>, or <name>=https://…; names: ${names.join(', ')}`,
  );
}

function textFor(given: readonly ForResource[], resource: Resource): string | undefined {
  return given.find((one) => one.resource === undefined || one.resource === resource)?.text;
}

function fileFor(given: readonly ForResource[], resource: Resource): string | undefined {
  const file = textFor(given, resource);
  return file === undefined ? undefined : readFile(file).toString('utf8');
}

/** The columns that the operator names, by the field of the contract. */
function columnsFor({ id, map, resource: asked }: SplitOptions, resource: Resource) {
  const of = (given: readonly ForResource[]) =>
    given.filter((one) => one.resource === undefined || one.resource === resource);
  const { fieldNames } = resource;
  // An option without a resource name counts for every resource with that field.
  const isElsewhere = (one: ForResource, field: string) =>
    one.resource === undefined && asked.some((other) => other.resource?.fieldNames.includes(field) === true);
  const mapped = of(map).flatMap((one) => {
    const { text } = one;
    const [, field = '', path = ''] = /^([\w.]+)=(.+)$/s.exec(text) ?? [];
    if (!fieldNames.includes(field)) {
      if (isElsewhere(one, field)) return [];
      const named = asked.length > 1 ? `${resource.name}.` : '';
      const hint = `--map ${named}<field>=<path of the column>; fields: ${fieldNames.join(', ')}`;
      throw new InferError(`--map ${text} names no field of ${resource.name}`, hint);
    }
    return [[field, path] as const];
  });
  return Object.fromEntries([...of(id).map(({ text }) => ['id', text] as const), ...mapped]);
}

/** Every resource with its address; if the only resource has none, the `url` argument is its address. */
function readTargets(
  url: string | undefined,
  { resource: given }: SplitOptions,
  sample: readonly string[],
  contract: Contract,
) {
  const addressed = given.filter(({ resource }) => resource !== undefined);
  const plain = given.filter(({ resource }) => resource === undefined);
  if (plain.length > 1 || (plain.length === 1 && addressed.length > 0))
    throw new InferError(
      'each of several resources needs its own address',
      [...contract.resources.keys()].map((name) => `--resource ${name}=https://…`).join(' '),
    );
  if (plain[0] === undefined) {
    if (url !== undefined)
      throw new InferError(
        `no resource is named for ${url}`,
        'write it behind the name: --resource <name>=…',
      );
    const names = addressed.map(({ resource }) => resource);
    if (new Set(names).size < names.length) throw new InferError('a resource is named twice');
    return addressed.map(({ resource, text }) => ({ resource: resource as Resource, url: text }));
  }
  if (url === undefined && sample.length === 0)
    throw new InferError(
      'there is nothing to look at',
      'name the address of the list, or saved replies with --sample',
    );
  return [{ resource: resourceNamed(plain[0].text, contract), url: url ?? PLACEHOLDER_URL }];
}

/** Refuses resources without a list: rows show what a source is like. */
function refuseUnlisted(targets: readonly { readonly resource: Resource }[]): void {
  const unlisted = targets.find(({ resource }) => !resource.hasList);
  if (unlisted === undefined) return;
  throw new InferError(
    `the contract has no list of ${unlisted.resource.name}, and a draft begins with one`,
    'write its entry by hand: id, and get with request, item and map',
  );
}

/** Refuses resources at different hosts: a source has one. */
function refuseHosts(targets: readonly { readonly resource: Resource; readonly url: string }[]): void {
  const origins = targets.map(({ url }) => (URL.canParse(url) ? new URL(url).origin : url));
  if (new Set(origins).size < 2) return;
  const places = targets.map(({ resource }, index) => `${resource.name} at ${origins[index]}`);
  const hint = 'a source has one net.baseUrl: run portico infer for each, with a --name of its own';
  throw new InferError(`the resources are at different hosts: ${places.join(', ')}`, hint);
}

/** The file of a draft: in the folder of the sources beside the gateway file, if it exists, or else in this folder. */
function defaultFile(name: string, configFile: string): string {
  const folder = join(dirname(configFile), 'sources');
  return existsSync(folder) ? join(folder, `${name}.yaml`) : `${name}.yaml`;
}

/** Refuses a file that exists, and a name that another file of its folder has. `option` is what the file is named by. */
function refuseTaken(out: string, option: '--name' | '--out', name: string): void {
  const folder = dirname(out);
  const again = (change: string, file: string) =>
    `write another ${change}, or add a resource to it with --into ${file}`;
  if (existsSync(out)) throw new InferError(`${out} exists, and is not replaced`, again(option, out));
  if (!existsSync(folder)) throw new InferError(`there is no folder ${folder}`, `mkdir -p ${folder}`);
  const others = readdirSync(folder).filter((file) => /\.ya?ml$/.test(file));
  const taken = others.find((file) =>
    new RegExp(`^name: *['"]?${name}['"]? *(?:#|$)`, 'm').test(readFileSync(join(folder, file), 'utf8')),
  );
  if (taken !== undefined)
    throw new InferError(
      `the name "${name}" is taken by ${join(folder, taken)}`,
      again('--name', join(folder, taken)),
    );
}

/**
 * Reads the job from the command line, and finds its mistakes before the service is asked. @throws InferError, or
 * ConfigError if the file of `--into` has problems
 */
export function readInferJob(url: string | undefined, args: InferArguments, context: JobContext): InferJob {
  const { contract } = context;
  const { header, method, callsMax, timeout, sample = [] } = args;
  const split = splitArguments(args, contract);
  const given = readTargets(url, split, sample, contract);
  if (sample.length > 0 && given.length > 1)
    throw new InferError('saved replies can be of one resource only', 'run portico infer for each');
  const opened = args.into === undefined ? undefined : openInto(args.into, context.env);
  const targets = given.map((one) => ({ ...one, url: opened?.address(one.url) ?? one.url }));
  refuseUnlisted(targets);
  refuseHosts(targets);
  dialects ??= compileDialects(shippedExamples());
  const known = dialects;
  const drafts = sortByReferences(targets).map(({ resource, url: address }): InferOptions => ({
    url: address,
    resource,
    contract,
    headers: header.length > 0 ? header : (opened?.headers ?? []),
    method,
    body: fileFor(split.body, resource),
    name: opened?.name ?? args.name,
    one: textFor(split.one, resource),
    oneBody: fileFor(split.oneBody, resource),
    columns: columnsFor(split, resource),
    dialects: known,
    samples: sample.map((file) => readSample(basename(file), readFile(file))),
    callsMax,
    timeoutMs: timeout * 1_000,
    signal: context.stop,
  }));
  const [first, ...others] = drafts;
  if (first === undefined) throw new InferError('name a resource with --resource');
  const { name } = readInferTarget(first);
  const isAddressed = split.resource.some(({ resource }) => resource !== undefined);
  const out = args.into ?? args.out ?? (isAddressed ? defaultFile(name, context.configFile) : undefined);
  if (out !== undefined && args.into === undefined)
    refuseTaken(out, args.out === undefined ? '--name' : '--out', name);
  return { name, drafts: [first, ...others], into: opened?.into, out };
}
