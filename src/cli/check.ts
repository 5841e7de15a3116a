import type { CliContext } from './context.ts';
import { orExit, readConfigOrExit, readSource } from './read-config.ts';

/** `portico check`: reads and compiles the configuration without starting anything. Exit code 78 on problems. */
export function runCheck(configFile: string, context: CliContext): void {
  const { gateway, compiled } = readConfigOrExit(configFile, context);
  for (const { resource, source } of compiled)
    context.out(`${resource.name}: ${source.spec.name} (${source.yaml.file})\n`);
  for (const route of gateway.passthrough) context.out(`${route.path}: passed through to ${route.name}\n`);
  context.out('The configuration is sound.\n');
}

/** `portico check --source`: reads and compiles one source file alone, with placeholders for what it lacks. */
export function runCheckSource(file: string, context: CliContext): void {
  for (const { resource, source } of orExit(context, () => readSource(file)))
    context.out(`${resource.name}: ${source.spec.name} (${file})\n`);
  context.out('The source is sound.\n');
}
