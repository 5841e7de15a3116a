import { readFileSync, writeFileSync } from 'node:fs';
import { markdownTable, replaceSection } from '../../../src/workbench/docs/generate/generated-sections.ts';
import type { SourceResourceSpec } from '../../../src/config/schema/source.ts';
import type { CompiledSource } from '../../../src/source/compile-sources.ts';

const FILE = 'test/integration/cli/infer/FOUND.md';
const HEAD = [
  ...['Service', 'List', 'Window', 'Total', 'Order', '`category`', '`price`', 'Sorts'],
  ...['One record', 'Failures', 'EDIT'],
];

/** What a draft found that nobody told it: one row of the table. */
export type FoundRow = readonly string[];

const code = (text: string) => `\`${text}\``;

function windowText({ window }: SourceResourceSpec['list']): string {
  return 'base' in window ? `${window.kind} from ${window.base}` : window.kind;
}

function totalText({ total }: SourceResourceSpec['list']): string {
  if (total === undefined) return '–';
  if (total.count !== undefined) return 'a call of its own';
  return code(total.header ?? total.at ?? '');
}

function filterText({ filters }: SourceResourceSpec['list'], field: string): string {
  const found = Object.entries(filters[field] ?? {}).map(([op, { exactness }]) => `${op} ${exactness}`);
  return found.length === 0 ? '–' : found.join(', ');
}

/** What an outcome table tells apart beyond the usual meaning of a status. */
function failuresText({ source }: CompiledSource): string {
  const special = source.spec.outcomes.filter(
    ({ is, status, on, at }) => (at !== undefined || on !== undefined || status === undefined) && is !== 'ok',
  );
  const names = [...new Set(special.map(({ is }) => is))];
  return names.length === 0 ? '–' : names.join(', ');
}

/** The row of a draft. `edits` is how many lines of it say EDIT. */
export function foundRow(name: string, compiled: CompiledSource, edits: number): FoundRow {
  const { list, get } = compiled.source.spec.resources[compiled.resource.name] as SourceResourceSpec;
  const items = typeof list.items === 'string' ? list.items : `${list.items.at} (${list.items.form})`;
  const sorts = Object.keys(list.sort?.columns ?? {});
  return [
    name,
    items === '' ? 'the body' : code(items),
    windowText(list),
    totalText(list),
    list.order === 'unknown' ? '–' : list.order,
    filterText(list, 'category'),
    filterText(list, 'price'),
    sorts.length === 0 ? '–' : sorts.join(', '),
    get === undefined ? '–' : code(`${get.request.method} ${get.request.path}`),
    failuresText(compiled),
    String(edits),
  ];
}

/**
 * The section of FOUND.md beside the tests as it stands, and as the rows make it. With UPDATE=1 it is written.
 */
export function foundSection(name: string, rows: readonly FoundRow[]): { committed: string; made: string } {
  const committed = readFileSync(FILE, 'utf8');
  const made = replaceSection(committed, name, markdownTable(HEAD, rows));
  if (process.env['UPDATE'] === '1') writeFileSync(FILE, made);
  return { committed: process.env['UPDATE'] === '1' ? made : committed, made };
}
