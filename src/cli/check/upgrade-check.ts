import type { Command } from 'commander';
import { type Problem, problemText } from '../../config/yaml/problem.ts';
import { upgradeNotes } from '../../config/upgrade/upgrade-notes.ts';
import { type VersionChange, versionChanges } from '../../config/upgrade/version-changes.ts';
import { parseYamlFile } from '../../config/yaml/yaml-file.ts';
import { plural } from '../../kernel/plural.ts';
import type { CliContext } from '../context/context.ts';
import { readPartialConfigOrExit } from '../input/read-config.ts';
import { version } from '../input/version.ts';
import { printReport } from '../output/print-report.ts';

type Options = { readonly from: string; readonly json?: boolean };

/** What versions after `from` change for a configuration that this one accepts. */
function notesOf(file: string, { from }: Options, context: CliContext): readonly Problem[] {
  const { texts } = readPartialConfigOrExit(file, context, { gateway: false });
  const { gateway, sources } = texts.files;
  const notes = (of: VersionChange['in'], { file: name, text }: typeof gateway) =>
    upgradeNotes(parseYamlFile(name, text, undefined, []), of, versionChanges, from);
  return [...notes('gateway', gateway), ...sources.flatMap((source) => notes('source', source))];
}

function runUpgradeCheck(file: string, options: Options, context: CliContext): void {
  const notes = notesOf(file, options, context);
  const verdict =
    notes.length === 0
      ? 'as it is, and nothing in it has changed'
      : `as it is; ${plural(notes.length, 'note')} for later`;
  const report = {
    json: { version, from: options.from, notes },
    blocks: [...notes.map(problemText), `Portico ${version} takes this configuration ${verdict}.`],
  };
  printReport(report, options.json, context);
}

/** Adds `portico upgrade-check` to the command line. */
export function registerUpgradeCheckCommand(program: Command, context: CliContext): void {
  program
    .command('upgrade-check')
    .description(
      'tell what this version changes for a configuration: keys that are deprecated, defaults that are new',
    )
    .argument('<file>', 'the gateway file; its sources stand in the folder "sources" beside it')
    .option('--from <version>', 'the version that you run now; default: any', '0.0.0')
    .option('--json', 'print the notes as JSON')
    .action((file: string, options: Options) => runUpgradeCheck(file, options, context));
}
