// `portico config`: shows which configuration a running gateway serves; `portico config diff` shows how two revisions or two
// replicas differ.

import type { ActionValue } from '../../admin/api/action-table.ts';
import { objectBlocks } from '../../workbench/explain/report/object-tables.ts';
import type { Report } from '../../workbench/explain/report/report.ts';
import type { CommandLine } from '../context/context.ts';
import { fileDifference } from '../output/file-difference.ts';
import { addAskingAction, askListener, type GatewayOptions } from './operator-api-client.ts';

type InForce = ActionValue<'config'>;
type DiffOptions = GatewayOptions & { readonly with?: string };

/** Reports which configuration is in force, which processes serve it, and the reloads before. */
function configReport(found: InForce): Report {
  const { files, processes, lastChange, reloads, ...about } = found;
  const shown = {
    ...about,
    files: files.map(({ name }) => name),
    processes: processes.map((one) => ({ ...one, isCurrent: one.digest === found.digest })),
    lastChange,
    reloads: reloads.map(({ changes, problems, ...one }) => ({
      ...one,
      changes: changes.map(({ path }) => path),
      // A hint stands on a line of its own.
      problems: problems?.map((one) => one.replaceAll(/\n\s*/g, '; ')),
    })),
  };
  return { json: found, blocks: objectBlocks(shown) };
}

/** The text difference of two configurations; secrets are `***` in both. */
function differenceReport(before: InForce['files'], after: InForce['files']): Report {
  const names = [...new Set([...before, ...after].map(({ name }) => name))];
  const found = names.flatMap((name) => {
    const [old, young] = [before, after].map((files) => files.find((one) => one.name === name)?.text);
    return old === young ? [] : [{ heading: name, blocks: fileDifference(old, young) }];
  });
  return { json: found, blocks: found.length === 0 ? ['no text is different'] : found };
}

/** Adds `portico config` and `portico config diff`. */
export function registerConfigCommand(line: CommandLine): void {
  const config = line.program
    .command('config')
    .description('show which configuration is in force, which processes serve it, and the last reloads');
  addAskingAction(config, line, async (ask) => configReport(await ask('config', {})));
  const difference = config
    .command('diff')
    .description('show the text difference of two revisions, or of two replicas; secrets are ***')
    .argument('[rev]', 'a revision, as `portico config` lists them; default: the one before')
    .argument('[other]', 'another one; default: the one in force')
    .option('--with <url>', "the operator's listener of another replica, to compare what is in force");
  addAskingAction(difference, line, async (ask, [rev, other], options: DiffOptions) => {
    const filesOf = async (wanted: string) => (await ask('config.revision', { rev: wanted })).files;
    const { rev: last, files } = await ask('config', {});
    const { with: gateway } = options;
    const before =
      gateway === undefined
        ? await filesOf(rev ?? String(last - 1))
        : (await askListener({ ...options, gateway }, line.configFile(), line.context)('config', {})).files;
    return differenceReport(before, other === undefined ? files : await filesOf(other));
  });
}
