// Reports a configuration that `portico check` found no problem in.

import { type Problem, problemText } from '../../../config/yaml/problem.ts';
import type { CompiledSource } from '../../../source/compile-sources.ts';
import { plural } from '../../../kernel/plural.ts';
import { queryCosts } from '../../../pipeline/query-costs.ts';
import { costTable } from './cost-report.ts';
import type { Report, ReportBlock } from './report.ts';

/** What a contract takes from the clients of an older one in `file` (`breaks`), and what it offers in addition (`widens`). */
export type ContractChanges = {
  readonly file: string;
  readonly breaks: readonly Problem[];
  readonly widens: readonly Problem[];
};

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
  /** Absent: the contract was not compared. */
  readonly against?: ContractChanges | undefined;
};

/** What a comparison of contracts has shown, its worst last. */
function changesBlocks({ file, breaks, widens }: ContractChanges): readonly ReportBlock[] {
  const verdict =
    breaks.length === 0
      ? `Nothing breaks clients of ${file}.`
      : `Clients of ${file} break: ${plural(breaks.length, 'change')}.`;
  return [
    ...widens.map((change) => `note: ${problemText(change)}`),
    ...breaks.map((change) => `breaks: ${problemText(change)}`),
    verdict,
  ];
}

/** Reports a checked configuration: its sources with what queries cost, its routes and its notes. */
export function checkReport(checked: CheckedConfig): Report {
  const { compiled, passthrough, notes, replayed, verdict, against } = checked;
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
    ...(against === undefined ? [] : changesBlocks(against)),
  ];
  return { json: { problems: [], notes, resources, passthrough, replayed, against }, blocks };
}
