// The parts that `portico generate` writes into documents of people: tables of metrics, conditions, licences and examples.

import { readdirSync, readFileSync } from 'node:fs';
import { parseYamlFile } from '../../../config/yaml/yaml-file.ts';
import type { MetricDescription } from '../../../telemetry/metrics/metric-factories.ts';
import { createMetrics } from '../../../admin/metrics/metrics.ts';
import { thresholdText } from '../../../telemetry/conditions/condition.ts';
import { conditions } from '../../../telemetry/conditions/conditions.ts';

/**
 * A Markdown table, padded as the formatter of the project would; `|` in a cell is escaped.
 * @internal
 */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = head.map((_, column) => Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width)).join(' | ')} |`;
  const [first = [], ...others] = cells;
  return [line(first), line(widths.map((width) => '-'.repeat(width))), ...others.map(line)].join('\n');
}

const code = (text: string) => `\`${text}\``;

/** Every metric of a gateway and of the primary of workers. */
function metricsTable(primary: readonly MetricDescription[]): string {
  const gateway = createMetrics({ operations: [], version: '', nodeVersion: '' });
  // Both count reloads.
  const names = new Map([...gateway.describe(), ...primary].map((one) => [one.name, one]));
  const described = [...names.values()];
  const rows = described.map(({ name, type, labels, help }) => [
    code(name),
    type,
    labels.map(code).join(', '),
    help,
  ]);
  return markdownTable(['Metric', 'Type', 'Labels', 'Meaning'], rows);
}

/** Every condition that needs an operator, with its threshold. */
function conditionsTable(): string {
  const rows = conditions.map(({ id, severity, entry, expr, lasts, ...condition }) => [
    code(id),
    severity,
    thresholdText(condition),
    expr === undefined ? '' : (lasts ?? 'at once'),
    `[\`${entry}\`](#${entry.toLowerCase()})`,
  ]);
  return markdownTable(['Condition', 'Severity', 'Above', 'Alert after', 'Entry'], rows);
}

type LockEntry = { readonly license?: string; readonly dependencies?: Readonly<Record<string, string>> };
type Lock = Readonly<Record<string, LockEntry>>;

const PACKAGES = 'node_modules/';

/** Where a package is that the package at `from` needs: in its own folder, or in the nearest one above it. */
function placeOf(name: string, from: string, packages: Lock): string {
  const own = `${from === '' ? '' : `${from}/`}${PACKAGES}${name}`;
  return own in packages || from === ''
    ? own
    : placeOf(name, from.slice(0, Math.max(0, from.lastIndexOf(`/${PACKAGES}`))), packages);
}

/** Adds the packages that are needed at a place of the lock file, and what they need themselves. */
function addNeeded(names: readonly string[], from: string, packages: Lock, needed: Set<string>): void {
  for (const name of names) {
    const place = placeOf(name, from, packages);
    if (needed.has(place)) continue;
    needed.add(place);
    addNeeded(Object.keys(packages[place]?.dependencies ?? {}), place, packages, needed);
  }
}

/** The licences of the packages that Portico runs on: those of its bundle, and those that are installed with it. */
function licencesTable(): string {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
    dependencies: Readonly<Record<string, string>>;
    bundled: readonly string[];
  };
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Lock };
  const needed = new Set<string>();
  addNeeded([...Object.keys(manifest.dependencies), ...manifest.bundled], '', packages, needed);
  const byLicence = new Map<string, Set<string>>();
  for (const path of needed) {
    const name = path.slice(path.lastIndexOf(PACKAGES) + PACKAGES.length);
    const licence = packages[path]?.license ?? '';
    byLicence.set(licence, (byLicence.get(licence) ?? new Set()).add(name));
  }
  const rows = [...byLicence].sort(([a], [b]) => (a < b ? -1 : 1));
  return markdownTable(
    ['Licence', 'Packages', 'Which'],
    rows.map(([licence, names]) => [licence, String(names.size), [...names].sort().map(code).join(', ')]),
  );
}

const EXAMPLES = 'config/examples';

/** The keys that the index reads from an example. Tests of their own check the examples against the schema. */
type Example = {
  auth?: { kind: string };
  decode?: { format?: string };
  resources: Record<
    string,
    { list: { window: { kind: string }; filters?: object; sort?: object; hydrate?: object } }
  >;
};

/** The first sentence of the comment at the head of a file, which says what the example is for. */
function purposeOf(text: string): string {
  const [head = ''] = text.replace(/^# yaml-language-server.*\n#\n/, '').split('\n#\n');
  const [sentence = ''] = head
    .replaceAll(/^# /gm, '')
    .replaceAll('\n', ' ')
    .split(/(?<=\.) (?=[A-Z(])/);
  return sentence.replace(/\.$/, '');
}

function rowOf(file: string): readonly string[] {
  const text = readFileSync(`${EXAMPLES}/${file}`, 'utf8');
  const { auth, decode, resources } = parseYamlFile(file, text, undefined, []).content() as Example;
  const lists = Object.entries(resources).map(([name, { list }]) => ({ name, ...list }));
  const windows = new Set(lists.map(({ window }) => `\`${window.kind}\``));
  const claims = new Set(
    lists.flatMap(({ filters, sort, hydrate }) =>
      Object.entries({ filters, sort, hydrate }).flatMap(([claim, value]) =>
        value === undefined ? [] : [claim],
      ),
    ),
  );
  return [
    `[${file.replace('.yaml', '')}](../examples/${file})`,
    purposeOf(text),
    [...windows].join(', '),
    `\`${auth?.kind ?? 'none'}\``,
    [...claims, decode?.format ?? 'json'].join(', '),
  ];
}

/** An index of the example sources: what each is for, and what it shows. */
function exampleIndex(): string {
  const files = readdirSync(EXAMPLES).filter((file) => file.endsWith('.yaml'));
  return markdownTable(['File', 'For', 'Window', '`auth`', 'Shows'], files.sort().map(rowOf));
}

/**
 * The generated parts of documents that people write, by file and by the name that their markers carry. `primary`: the
 * metrics of the primary of several workers.
 */
export function generatedSections(
  primary: readonly MetricDescription[],
): Readonly<Record<string, Readonly<Record<string, () => string>>>> {
  return {
    'config/docs/operate.md': { metrics: () => metricsTable(primary) },
    'config/docs/runbook.md': { conditions: conditionsTable },
    'config/docs/sources.md': { examples: exampleIndex },
    'config/docs/releases.md': { licences: licencesTable },
  };
}

/** The text with what stands between `<!-- name: start … -->` and `<!-- name: end -->` replaced. @throws Error without these */
export function replaceSection(text: string, name: string, content: string): string {
  const pattern = new RegExp(`(<!-- ${name}: start[^>]*-->\n)[^]*?(<!-- ${name}: end -->)`);
  if (!pattern.test(text)) throw new Error(`the markers of the generated section "${name}" are missing`);
  return text.replace(pattern, (_, start: string, end: string) => `${start}\n${content}\n\n${end}`);
}
