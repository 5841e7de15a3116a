import { readdirSync, readFileSync } from 'node:fs';
import { loadConfig } from '../../../src/config/load.ts';
import { referenceContract } from '../reference.ts';
import { finishSteps } from '../../../src/kernel/yield-to-loop.ts';
import type { LoadedConfig } from '../../../src/config/schema/loaded-config.ts';
import type { Problem } from '../../../src/config/yaml/problem.ts';
import { type CompiledSource, compileSources } from '../../../src/source/compile-sources.ts';

const folder = new URL('../../../config/', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, folder), 'utf8');

/** The text of the shipped gateway file. */
export const gatewayText = read('portico.yaml');

/** The texts of the shipped sources by the name of their file. */
export const sourceTexts: Readonly<Record<string, string>> = Object.fromEntries(
  readdirSync(new URL('sources/', folder)).map((file) => [file, read(`sources/${file}`)]),
);

/** Files of a configuration, the shipped ones where not given, and what their references stand for. */
export type ConfigTexts = {
  readonly gateway?: string;
  /** Absent: the built-in contract. */
  readonly contract?: string | undefined;
  /** The module with own coercions; absent: there is none. */
  readonly coercions?: string | undefined;
  readonly sources?: Readonly<Record<string, string>>;
  readonly variables?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
};

/** A configuration as it is loaded and compiled, with the problems found on the way. */
export type Loaded = {
  readonly config: LoadedConfig;
  readonly compiled: readonly CompiledSource[];
  readonly problems: readonly Problem[];
};

/** Loads and compiles a configuration. Files are called `portico.yaml` and as the keys of `sources` say. */
export function loadTexts({
  gateway = gatewayText,
  contract,
  coercions,
  sources = sourceTexts,
  variables,
  files,
}: ConfigTexts): Loaded {
  const problems: Problem[] = [];
  const steps = loadConfig(
    {
      gateway: { file: 'portico.yaml', text: gateway },
      contract: contract === undefined ? undefined : { file: 'contract.yaml', text: contract },
      coercions: coercions === undefined ? undefined : { file: 'coercions.js', text: coercions },
      sources: Object.entries(sources).map(([file, text]) => ({ file, text })),
    },
    {
      variables: variables ?? {},
      readFile(path) {
        const text = files?.[path];
        if (text === undefined) throw new Error(`no such file: ${path}`);
        return text;
      },
    },
    problems,
  );
  const config = finishSteps(steps);
  const { contract: loaded = referenceContract } = config;
  return { config, compiled: compileSources(config.sources, loaded, problems), problems };
}

/** Puts `replacement` for the one place where `text` has `wanted`. */
export function changed(text: string, wanted: string, replacement: string): string {
  const pieces = text.split(wanted);
  if (pieces.length !== 2) throw new Error(`expected one "${wanted}", found ${pieces.length - 1}`);
  return pieces.join(replacement);
}
