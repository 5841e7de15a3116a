import type { CliContext } from '../context/context.ts';
import { askListener } from './operator-api-client.ts';

/** A shell waits for it. */
const TIMEOUT_MS = 700;

/** The ids of the keys, if a shell asks what completes words about keys, and the gateway of the configuration answers. */
export async function offeredKeys(
  args: readonly string[],
  configFile: () => string,
  context: CliContext,
): Promise<readonly string[]> {
  if (args[0] !== 'complete' || !args.some((word) => word === 'keys' || word === 'key')) return [];
  try {
    const { keys } = await askListener({ timeoutMs: TIMEOUT_MS }, configFile(), context)('keys', {});
    return keys.map(({ id }) => id);
  } catch {
    return [];
  }
}
