import { type Problem, problemText } from '../../../config/yaml/problem.ts';
import type { CompiledSource } from '../../../source/compile-sources.ts';
import { plural } from '../../../kernel/plural.ts';
import { queryCosts } from '../../../pipeline/query-costs.ts';
import { costTable } from './cost-report.ts';
import type { Report } from './report.ts';

/** A configuration, or one source, that has no problem. */
export type CheckedConfig = {
  /** What is served. */
  readonly compiled: readonly CompiledSource[];
  /** Every source. */
  readonly sources: readonly CompiledSource[];
  readonly passthrough: readonly { readonly path: string; readonly name: string }[];
  readonly notes: readonly Problem[];
  /** How many recorded cases were replayed. */
  readonly replayed: number;
  /** The last line, such as `The configuration is sound.` */
  readonly verdict: string;
};

/** Reports a checked configuration: its sources with what queries cost, its routes and its notes. */
export function checkReport({ compiled, passthrough, notes, replayed, verdict }: CheckedConfig): Report {
  const resources = compiled.map((one) => ({
    resource: one.resource.name,
    source: one.source.spec.name,
    file: one.source.yaml.file,
    queries: queryCosts(one),
  }));
  const blocks = [
    ...resources.map(({ resource, source, file, queries }) => ({
      heading: `${resource}: ${source} (${file})`,
      blocks: [costTable(queries)],
    })),
    ...passthrough.map(({ path, name }) => `${path}: passed through to ${name}`),
    ...notes.map((note) => `note: ${problemText(note)}`),
    ...(replayed > 0 ? [`${plural(replayed, 'recorded case')} replayed`] : []),
    verdict,
  ];
  return { json: { problems: [], notes, resources, passthrough, replayed }, blocks };
}
