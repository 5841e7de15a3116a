import { readdirSync, readFileSync } from 'node:fs';
import { Command } from 'commander';
import { registerCommands } from '../../../src/cli/commands.ts';
import type { CliContext } from '../../../src/cli/context/context.ts';
import { runCommand } from '../../support/command/run-command.ts';
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

describe('the help of every command', () => {
  /** A command line as a shell splits it: words, or a text in quotes; without what it redirects. */
  const wordsOf = (line: string) =>
    [...line.replace(/ >>? .*/, '').matchAll(/'([^']*)'|(\S+)/g)].map(
      ([, quoted, word]) => quoted ?? word ?? '',
    );

  /** A command line whose commands do nothing. */
  function parser(): Command {
    const own = new Command('portico').exitOverride().option('-c, --config <file>');
    own.command('start').action(() => undefined);
    registerCommands(own, { given: () => undefined, file: () => 'config/portico.yaml' }, context);
    const disarm = (command: Command): void => {
      command.exitOverride().configureOutput({ writeErr: () => undefined });
      if (command.parent !== null) command.action(() => undefined);
      command.commands.forEach(disarm);
    };
    disarm(own);
    return own;
  }

  const all = parser();
  const paths = ['', ...namesBelow(all).filter((name) => name !== 'complete')];

  it.each(paths)('has two examples of %j, which it takes', async (path) => {
    const command = path
      .split(' ')
      .reduce<Command>((at, name) => at.commands.find((one) => one.name() === name) ?? at, all);
    let text = '';
    command.configureOutput({ writeOut: (part) => void (text += part) });
    command.outputHelp();
    const lines = text.split('Examples:\n')[1]?.trim().split('\n') ?? [];
    expect(lines).toHaveLength(2);
    for (const line of lines) {
      const [, ...words] = wordsOf(line.replace(/^\s*(?:[A-Z]+=\S+ )?/, ''));
      if (path !== '') expect(words.join(' ')).toContain(path);
      await expect(parser().parseAsync(words, { from: 'user' })).resolves.toBeDefined();
    }
  });

  it.each(paths)('of %j has no line that is wider than 80 columns', async (path) => {
    const { out } = await runCommand([...path.split(' ').filter((word) => word !== ''), '--help']);
    expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });
});
