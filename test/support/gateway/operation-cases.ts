import { readConfig } from '../../../src/cli/input/read-config.ts';
import type { GatewayConfig } from '../../../src/config/schema/gateway.ts';
import type { SourceSpec } from '../../../src/config/schema/source.ts';
import { operations } from '../reference.ts';

/** An operation of the committed configuration, as a test asks for it. */
export type OperationCase = {
  readonly name: string;
  readonly path: string;
  readonly permission: string;
  /** Whether its answers are translated; otherwise they pass as they are. */
  readonly translated: boolean;
};

const { gateway } = readConfig('config/portico.yaml', {});

/**
 * Every operation that the committed configuration serves. The id is one that the sample users have; where another
 * resource has no such record, its answer is a 404 all the same.
 */
export const operationCases: readonly OperationCase[] = [
  ...operations
    .filter(({ resource }) => gateway.resources[resource.name] !== undefined)
    .map(({ name, path, resource }) => ({
      name,
      path: path.replace(':id', `${resource.idPrefix}_3`),
      permission: resource.permission,
      translated: true,
    })),
  ...gateway.passthrough.flatMap(({ name, path, permission }) =>
    permission === null ? [] : [{ name: `passthrough.${name}`, path, permission, translated: false }],
  ),
];

/** Shortens every time that a call may take, for tests in which it is spent. */
export function hurry({ resources, passthrough }: GatewayConfig, sources: readonly SourceSpec[]): void {
  for (const resource of Object.values(resources)) resource.deadline = 300;
  for (const route of passthrough) route.deadline = 300;
  for (const { net } of sources) net.timeout = 200;
}
