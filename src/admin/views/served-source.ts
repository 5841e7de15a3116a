// Lists the sources and pass-through routes that a configuration serves, by their names in the metrics: the actions that
// read metrics and the incidents ask it which operations a source serves.

import type { GatewayConfig } from '../../config/schema/gateway.ts';
import { type CompiledResource, withTargets } from '../../source/compile-sources.ts';
import type { CountedRule } from '../../source/adapter/read/outcome.ts';
import type { ActionValue } from '../api/action-table.ts';

/** A source or a pass-through route of a gateway, by its name in the metrics. */
export type ServedSource = {
  readonly name: string;
  readonly kind: 'source' | 'passthrough';
  readonly resources: readonly string[];
  /** The operations whose answers come from it, alone or together with another source. */
  readonly operations: readonly string[];
};

/** What the files say about a source. */
export type SourceDescription = Pick<ActionValue<'source'>, 'budget' | 'costs'> & {
  /** Host and port of each of its hosts. */
  readonly hosts: readonly string[];
  /** The outcome rules of its file with their lines; the last one stands for "no rule". */
  readonly rules: readonly (CountedRule & { readonly file?: string; readonly line?: number })[];
};

/** The sources and pass-through routes of a configuration, in its order. */
export function servedSources(
  { passthrough }: Pick<GatewayConfig, 'passthrough'>,
  compiled: readonly CompiledResource[],
): readonly ServedSource[] {
  const bySource = Map.groupBy(withTargets(compiled), ({ source }) => source.spec.name);
  const sources = [...bySource].map(([name, all]): ServedSource => {
    const resources = [...new Set(all.map(({ resource }) => resource))];
    const operations = resources.flatMap((resource) => resource.operations.map((one) => one.name));
    return { name, kind: 'source', resources: resources.map((one) => one.name), operations };
  });
  const routes = passthrough.map(({ name: route }): ServedSource => {
    const name = `passthrough.${route}`;
    return { name, kind: 'passthrough', resources: [], operations: [name] };
  });
  return [...sources, ...routes];
}
