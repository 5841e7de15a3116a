import { readdirSync, readFileSync } from 'node:fs';
import { Command } from 'commander';
import { registerCommands } from '../../../src/cli/commands.ts';
import type { CliContext } from '../../../src/cli/context/context.ts';
import { aloneProcess } from '../../support/command/single-process.ts';

/** The names of all commands below one, each with those above it: `keys create`. */
function namesBelow(command: Command, above: readonly string[] = []): readonly string[] {
  return command.commands.flatMap((one) => {
    const path = [...above, one.name()];
    return [path.join(' '), ...namesBelow(one, path)];
  });
}

const program = new Command('portico');
const context = { env: {}, processes: aloneProcess } as unknown as CliContext;
registerCommands(program, { given: () => undefined, file: () => 'config/portico.yaml' }, context);

const guides = readdirSync('config/docs').filter((file) => file.endsWith('.md'));
const text = ['README.md', ...guides.map((file) => `config/docs/${file}`)]
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n');

describe('the README and the guides', () => {
  // A script of `portico completion` asks it, nobody else.
  const names = ['start', ...namesBelow(program).filter((name) => name !== 'complete')];

  it('are compared with all commands', () => {
    expect(names.length).toBeGreaterThan(40);
  });

  it.each(names)('name the command %s', (name) => {
    expect(text).toMatch(new RegExp(`(?:portico (?:-c \\S+ |-- )?|\`)${name}\\b`));
  });
});
