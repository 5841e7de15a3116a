// Keeps the last good configuration, so that `portico start` can start although the files are broken, and earlier ones for
// `portico config back`. Only the texts of the files are kept. A `${NAME}` or `${file:…}` is resolved again at the next start,
// so no secret is kept that is not in a file itself.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { ConfigFiles } from '../../config/load.ts';
import type { FileText } from '../../config/yaml/yaml-file.ts';
import { replaceFile } from '../../store/replace-file.ts';
import { configDigest } from '../../gateway/reload/snapshot.ts';
import type { SoundConfig } from '../../gateway/reload/reload-outcome.ts';
import type { CliContext } from '../context/context.ts';
import { compileFiles, type ReadyConfig, readUsableSections } from '../input/read-config.ts';

const FILE = 'last-good.json';
const VERSION = 1;
/** The variable with the folder, for a gateway file that is so broken that its `state.dir` cannot be read. */
const FOLDER_VARIABLE = 'PORTICO_STATE_DIR';

/** The texts of a configuration that was in force, by its digest. */
type KeptRevision = { readonly digest: string; readonly files: ConfigFiles };

/** How many configurations are kept for `portico config back`. */
const REVISIONS_MAX = 10;

/** The configurations that were in force, the newest first; none if the file with them cannot be read. */
function keptRevisions(folder: string): readonly KeptRevision[] {
  try {
    const json = readFileSync(join(folder, FILE), 'utf8');
    const { revisions = [] } = JSON.parse(json) as { revisions?: readonly KeptRevision[] };
    return revisions.filter(({ files }) => filesIn({ version: VERSION, files }) !== undefined);
  } catch {
    return [];
  }
}

/** The files of a configuration that was in force; `undefined` if they are not kept. */
export function keptFiles(configFile: string, digest: string, env: CliContext['env']) {
  const folder = folderOf(configFile, env);
  return folder === undefined ? undefined : keptRevisions(folder).find((one) => one.digest === digest)?.files;
}

/** Makes the function that keeps a configuration for the next start. A failure is only a warning. */
export function createLastGoodWriter(log: Pick<Logger, 'warn'>): (config: SoundConfig) => void {
  let kept: string | undefined;
  let revisions: readonly KeptRevision[] | undefined;
  return function keep(config) {
    const { dir } = config.gateway.state;
    if (dir === undefined) return;
    const own = { digest: configDigest(config), files: config.texts.files };
    const others = (revisions ?? keptRevisions(dir)).filter(({ digest }) => digest !== own.digest);
    revisions = [own, ...others.slice(0, REVISIONS_MAX - 1)];
    const text = JSON.stringify({ version: VERSION, files: own.files, revisions });
    if (text === kept) return;
    try {
      replaceFile(dir, FILE, text);
      kept = text;
    } catch (error) {
      const problem = error instanceof Error ? error.message : 'unknown';
      log.warn({ problem }, 'the last good configuration cannot be kept in state.dir; the gateway serves on');
    }
  };
}

/** The folder with the last good configuration; `undefined` if neither the gateway file nor the variable names one. */
function folderOf(configFile: string, env: CliContext['env']): string | undefined {
  const { state } = readUsableSections(configFile, env);
  if (state?.dir !== undefined) return state.dir;
  const named = env[FOLDER_VARIABLE];
  return named === '' ? undefined : named;
}

function isText(value: unknown): value is FileText {
  const { file, text } = Object(value) as Partial<FileText>;
  return typeof file === 'string' && typeof text === 'string';
}

type Kept = { readonly version?: unknown; readonly files?: Partial<ConfigFiles> };

function filesIn({ version, files }: Kept): ConfigFiles | undefined {
  const { gateway, contract, coercions, sources } = files ?? {};
  if (version !== VERSION || !isText(gateway) || !Array.isArray(sources) || !sources.every(isText))
    return undefined;
  const isSound = [contract, coercions].every((file) => file === undefined || isText(file));
  return isSound ? { gateway, contract, coercions, sources } : undefined;
}

/** The last good configuration, compiled; `undefined` if none is kept that is sound with the present variables. */
export function readLastGood(configFile: string, { env }: CliContext): ReadyConfig | undefined {
  const folder = folderOf(configFile, env);
  if (folder === undefined) return undefined;
  try {
    const files = filesIn(JSON.parse(readFileSync(join(folder, FILE), 'utf8')) as Kept);
    return files && compileFiles(files, env);
  } catch {
    return undefined;
  }
}
