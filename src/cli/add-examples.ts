import type { Command } from 'commander';
import examples from './examples.json' with { type: 'json' };

/** Adds its examples to the help of a command, which stands under the words before its own, and to those below it. */
export function addExamples(command: Command, path: readonly string[] = []): void {
  const lines = (examples as Readonly<Record<string, readonly string[]>>)[path.join(' ')] ?? [];
  if (lines.length > 0)
    command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`);
  for (const one of command.commands) addExamples(one, [...path, one.name()]);
}
