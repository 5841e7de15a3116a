import { InvalidArgumentError } from 'commander';
import { samplePorts, sampleNames, type SampleName, serveSamples } from '../demo/serve.ts';
import type { CommandLine } from '../context/context.ts';

function parseWhich(text: string): SampleName | 'all' {
  const which = [...sampleNames, 'all' as const].find((name) => name === text);
  if (which === undefined) throw new InvalidArgumentError(`Choose one of ${sampleNames.join(', ')} or all.`);
  return which;
}

function parseRecords(text: string): number {
  const count = Number(text);
  if (!/^\d{1,6}$/.test(text) || count < 1 || count > 100_000)
    throw new InvalidArgumentError('A whole number from 1 to 100000.');
  return count;
}

/** `portico samples <which>`: serves the sample services until the process is asked to stop. */
export function registerSamplesCommand({ program, context }: CommandLine): void {
  const ports = Object.entries(samplePorts).map(([name, port]) => `${name} on ${port}`);
  program
    .command('samples')
    .description(`start sample services: ${ports.join(', ')}`)
    .argument('<which>', [...sampleNames, 'all'].join(' | '), parseWhich)
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option('--records <number>', 'how many records each service has, from 1 to 100000', parseRecords)
    .option('--clean', 'people is a copy of users without mistakes')
    .action((which: SampleName | 'all', options: { host: string; records?: number; clean?: true }) =>
      serveSamples({
        which,
        host: options.host,
        ...(options.records !== undefined && { count: options.records }),
        cleanPeople: options.clean === true,
        signal: context.stop,
        log: (line) => context.out(`${line}\n`),
      }),
    );
}
