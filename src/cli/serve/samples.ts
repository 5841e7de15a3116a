import { InvalidArgumentError } from 'commander';
import { samplePorts, sampleNames, type SampleName, serveSamples } from '../demo/serve.ts';
import { type CommandLine, ExitError, exitCodes } from '../context/context.ts';
import { wholeNumberOption } from '../input/whole-number-option.ts';
import { parsePort } from './try.ts';

function parseWhich(text: string): SampleName | 'all' {
  const which = [...sampleNames, 'all' as const].find((name) => name === text);
  if (which === undefined) throw new InvalidArgumentError(`Choose one of ${sampleNames.join(', ')} or all.`);
  return which;
}

/** The options of `portico samples`. */
type SamplesArguments = {
  readonly host: string;
  readonly records?: number;
  readonly clean?: true;
  readonly port?: number;
};

/** `portico samples <which>`: serves the sample services until the process is asked to stop. */
export function registerSamplesCommand({ program, context }: CommandLine): void {
  const ports = Object.entries(samplePorts).map(([name, port]) => `${name} on ${port}`);
  program
    .command('samples')
    .description(`start sample services: ${ports.join(', ')}`)
    .argument('<which>', [...sampleNames, 'all'].join(' | '), parseWhich)
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option(
      '--records <number>',
      'how many records each service has, from 1 to 100000',
      wholeNumberOption(1, 100_000),
    )
    .option('--clean', 'people is a copy of users without mistakes')
    .option('--port <number>', 'the port of the one service; 0 takes any free one', parsePort)
    .action((which: SampleName | 'all', { host, records, clean, port }: SamplesArguments) => {
      if (port !== undefined && which === 'all')
        throw new ExitError(
          exitCodes.usage,
          '--port is for one service',
          `name one of ${sampleNames.join(', ')}`,
        );
      return serveSamples({
        which,
        host,
        ...(port !== undefined && { ports: { [which]: port } }),
        ...(records !== undefined && { count: records }),
        cleanPeople: clean === true,
        signal: context.stop,
        log: (line) => context.out(`${line}\n`),
      });
    });
}
