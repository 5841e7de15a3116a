import { parser } from '@prometheus-io/lezer-promql';

/** What a query reads: metrics, and for each label all metrics that may carry it. */
export type PromqlReads = {
  readonly metrics: readonly string[];
  readonly labels: readonly { readonly label: string; readonly of: readonly string[] }[];
};

type Node = ReturnType<typeof parser.parse>['topNode'];

/** All nodes of a kind below a node. */
function nodesBelow(node: Node, ...names: readonly string[]): readonly Node[] {
  const found: Node[] = [];
  node.cursor().iterate((one) => {
    if (names.includes(one.name)) found.push(one.node);
  });
  return found;
}

/** Parses a query of PromQL. @throws Error where it is none */
export function readPromql(expr: string): PromqlReads {
  const top = parser.parse(expr).topNode;
  const textOf = ({ from, to }: Node) => expr.slice(from, to);
  const [wrong] = nodesBelow(top, '⚠');
  if (wrong !== undefined) throw new Error(`no PromQL at character ${wrong.from}: ${expr}`);
  const selectors = (node: Node) => nodesBelow(node, 'VectorSelector');
  const metricOf = (selector: Node) => nodesBelow(selector, 'Identifier').slice(0, 1).map(textOf);
  const named = (node: Node, of: readonly string[]) =>
    nodesBelow(node, 'LabelName').map((label) => ({ label: textOf(label), of }));
  const matched = selectors(top).flatMap((selector) => named(selector, metricOf(selector)));
  const grouped = nodesBelow(top, 'AggregateExpr').flatMap((aggregate) => {
    const modifier = aggregate.getChild('AggregateModifier');
    return modifier === null ? [] : named(modifier, selectors(aggregate).flatMap(metricOf));
  });
  return { metrics: selectors(top).flatMap(metricOf), labels: [...matched, ...grouped] };
}
