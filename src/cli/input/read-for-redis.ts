import { loadUsableGateway } from '../../config/load.ts';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import { ConfigError } from '../../config/yaml/problem.ts';
import type { Contract } from '../../contract/resource.ts';
import { plural } from '../../kernel/plural.ts';
import type { CliContext } from '../context/context.ts';
import { readText } from './config-files.ts';
import { contractIn, liveEnvironment, readGatewayContract, readPartialConfig } from './read-config.ts';

/** The contract of a gateway file; the built-in one if its own is broken. */
function usableContract(gatewayFile: string): Contract {
  try {
    return readGatewayContract(gatewayFile);
  } catch {
    return contractIn(undefined).contract;
  }
}

/**
 * Reads the configuration for a command that works on Redis. An operator must be able to revoke a key although files are
 * broken elsewhere. Then only the valid sections of the gateway file are used, and a note says so.
 * @throws ConfigError with every problem, if the sections that the command needs are among the broken ones
 */
export function readForRedis(gatewayFile: string, { env, err }: CliContext): GatewayConfig {
  try {
    return readPartialConfig(gatewayFile, env, { gateway: true }).gateway;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const gateway = loadUsableGateway(readText(gatewayFile), liveEnvironment(env), ['redis', 'auth']);
    if (gateway === undefined) throw error;
    const found = plural(error.problems.length, 'problem');
    err(
      `note: the configuration has ${found}, which portico check lists; redis and auth are sound, and are used\n`,
    );
    return { ...gateway, contract: usableContract(gatewayFile) };
  }
}
