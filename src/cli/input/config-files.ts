// Finds and reads the files of a configuration: the gateway file, and those that it names or that stand beside it.

import { readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { ConfigFiles, ConfigTexts } from '../../config/load.ts';
import { namedFilesIn } from '../../config/load-contract.ts';
import { ConfigError } from '../../config/yaml/problem.ts';
import type { FileText } from '../../config/yaml/yaml-file.ts';
import { isRegularFile, readRegularFile } from './regular-file.ts';

/** The error of a file or a folder as a whole. */
export const fileError = (file: string, message: string, hint: string) =>
  new ConfigError([{ file, path: '', message, hint }]);

/** A file and its text. @throws ConfigError if it cannot be read */
export function readText(file: string): FileText {
  try {
    return { file, text: readRegularFile(file) };
  } catch (cause) {
    const message = `cannot be read (${(cause as NodeJS.ErrnoException).code ?? 'error'})`;
    throw fileError(file, message, 'name the file with --config, or PORTICO_CONFIG; portico init writes one');
  }
}

/** The name of the contract file beside a gateway file that names none. */
const CONTRACT_FILE = 'contract.yaml';
/** The name of the gateway file, for a source file that is read without it. */
const GATEWAY_FILE = 'portico.yaml';

/** The contract file that a gateway file names, or the one beside it; `undefined`: the built-in contract. */
export function findContract(gateway: FileText, named = namedFilesIn(gateway)): FileText | undefined {
  const file = resolve(dirname(gateway.file), named.contract ?? CONTRACT_FILE);
  return named.contract === undefined && !isRegularFile(file) ? undefined : readText(file);
}

/** A module with own coercions, from a folder; `undefined` if none is named, or none is there. */
export function findCoercions(folder: string, named: string | undefined): FileText | undefined {
  const file = named === undefined ? undefined : resolve(folder, named);
  return file !== undefined && isRegularFile(file) ? readText(file) : undefined;
}

/** A file in the folder of a source file or above it; `undefined` if it is in neither. */
function findNear(sourceFile: string, name: string): FileText | undefined {
  const folder = dirname(resolve(sourceFile));
  const near = [join(folder, name), join(dirname(folder), name)].find(isRegularFile);
  return near === undefined ? undefined : readText(near);
}

/** The contract file for a source file that is read alone; `undefined`: the built-in contract. */
export const findNearContract = (sourceFile: string) => findNear(sourceFile, CONTRACT_FILE);

/** The module with own coercions for a source file that is read alone: the one that a gateway file near it names. */
export function findNearCoercions(sourceFile: string): FileText | undefined {
  const gateway = findNear(sourceFile, GATEWAY_FILE);
  return gateway && findCoercions(dirname(gateway.file), namedFilesIn(gateway).coercions);
}

/** The gateway's file, the contract, and the sources in the folder `sources` beside it. */
export function findFiles(gatewayFile: string): ConfigFiles {
  const gateway = readText(gatewayFile);
  const folder = join(dirname(gatewayFile), 'sources');
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    throw fileError(folder, 'the folder of the sources cannot be read', 'it stands beside the gateway file');
  }
  const sources = names.filter((name) => /\.ya?ml$/.test(name)).sort();
  const named = namedFilesIn(gateway);
  return {
    gateway,
    contract: findContract(gateway, named),
    coercions: findCoercions(dirname(gatewayFile), named.coercions),
    sources: sources.map((name) => readText(join(folder, name))),
  };
}

/**
 * The texts of a configuration's files as they are now, with the references that were `known`; one that is gone is empty.
 * @throws ConfigError if a file cannot be read
 */
export function readTexts(
  gatewayFile: string,
  { references: known }: Pick<ConfigTexts, 'references'>,
): ConfigTexts {
  const references: Record<string, string> = {};
  for (const path of Object.keys(known)) references[path] = isRegularFile(path) ? readRegularFile(path) : '';
  return { files: findFiles(gatewayFile), references };
}
