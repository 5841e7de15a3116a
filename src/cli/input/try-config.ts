import { ConfigError, problemText } from '../../config/problem.ts';
import type { CliContext } from '../context.ts';
import { type ReadyConfig, readConfig } from './read-config.ts';

/** Reads a configuration while another one is served; its problems are returned, not thrown. */
export function tryConfig(
  configFile: string,
  context: CliContext,
): ReadyConfig | { readonly problems: readonly string[] } {
  try {
    return readConfig(configFile, context.env);
  } catch (error) {
    if (error instanceof ConfigError) return { problems: error.problems.map(problemText) };
    return { problems: [error instanceof Error ? error.message : 'it cannot be read'] };
  }
}
