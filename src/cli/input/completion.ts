// Completes words of the command line in bash, zsh and fish: commands, options, and the names of files, sources and keys.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import tab from '@bomb.sh/tab/commander';
import { errorCodes } from '../../kernel/errors/catalogue.ts';
import type { CommandLine } from '../context/context.ts';
import { readPartialConfig } from './read-config.ts';

/** How deep files are offered; deeper ones are typed. */
const DEPTH_MAX = 3;

/** The YAML files below a folder. */
function yamlFiles(folder: string, depth = 0): readonly string[] {
  if (depth > DEPTH_MAX) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isFile()) return /\.ya?ml$/.test(entry.name) ? [path] : [];
    const isHidden = entry.name.startsWith('.') || entry.name === 'node_modules';
    return entry.isDirectory() && !isHidden ? yamlFiles(path, depth + 1) : [];
  });
}

/** Makes the function that offers values of this machine; a folder or a file that cannot be read offers none. */
function offered(find: () => readonly string[]) {
  return (offer: (value: string, description: string) => void) => {
    try {
      for (const value of find()) offer(value, '');
    } catch {
      // Nothing is offered.
    }
  };
}

/** Options that take a file, and commands whose argument is a source or a file. */
const FILE_OPTIONS = ['config', 'source', 'into', 'out', 'body', 'one-body', 'sample', 'against'];
/** What `portico requests --status` takes, as far as it can be listed. */
const STATUSES = ['5xx', '4xx', 'slow', '500', '502', '503', '504', '499', '429', '404', '403', '401', '400'];
const SOURCE_COMMANDS = ['doctor', 'quality', 'test'];

/**
 * Adds `portico completion <shell>`, which prints a script for bash, zsh or fish, and the hidden command that the
 * script asks. Call it after all other commands are added; `keyIds` are offered for the ids of keys.
 */
export function registerCompletion(
  { program, configFile, context }: CommandLine,
  keyIds: readonly string[],
): void {
  const completion = tab(program, { completionCommandName: 'completion' });
  const files = offered(() => yamlFiles('.'));
  const sources = offered(() => {
    const { sources: all } = readPartialConfig(configFile(), context.env, { gateway: false });
    return [...new Set(all.map(({ source }) => source.spec.name))];
  });
  for (const [name, command] of [['', completion] as const, ...completion.commands]) {
    for (const [option, described] of command.options)
      if (name === 'requests' && option === 'source') described.handler = sources;
      else if (FILE_OPTIONS.includes(option)) described.handler = files;
      else if (option === 'status') described.handler = offered(() => STATUSES);
      else if (option === 'code') described.handler = offered(() => errorCodes);
    const [argument, second] = command.arguments.values();
    const key = name.startsWith('keys ') ? argument : second;
    if (key?.name === 'id') key.handler = offered(() => keyIds);
    if (argument !== undefined && SOURCE_COMMANDS.includes(name)) argument.handler = sources;
    if (argument !== undefined && name === 'try') argument.handler = files;
  }
  const resource = completion.commands.get('infer')?.options.get('resource');
  if (resource !== undefined)
    resource.handler = offered(() => [
      ...readPartialConfig(configFile(), context.env, { gateway: false }).gateway.contract.resources.keys(),
    ]);
}
