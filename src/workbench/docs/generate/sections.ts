import { readFileSync } from 'node:fs';
import type { MetricDescription } from '../../../telemetry/metrics/metric-factories.ts';
import { createMetrics } from '../../../admin/metrics/metrics.ts';
import { thresholdText } from '../../../telemetry/conditions/condition.ts';
import { conditions } from '../../../telemetry/conditions/conditions.ts';
import { exampleIndex } from './example-index.ts';
import { markdownTable } from './markdown-table.ts';

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

type LockEntry = { readonly license?: string; readonly dev?: boolean; readonly devOptional?: boolean };

const FOLDER = 'node_modules/';

/** Packages of the development of which the build copies files, so that they are shipped. */
const SHIPPED = ['swagger-ui-dist'];

/** The licences of the packages that Portico runs on. */
function licencesTable(): string {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Readonly<Record<string, LockEntry>>;
  };
  const byLicence = new Map<string, Set<string>>();
  for (const [path, { license = '', dev, devOptional }] of Object.entries(packages)) {
    const name = path.slice(path.lastIndexOf(FOLDER) + FOLDER.length);
    if (path === '' || ((dev === true || devOptional === true) && !SHIPPED.includes(name))) continue;
    byLicence.set(license, (byLicence.get(license) ?? new Set()).add(name));
  }
  const rows = [...byLicence].sort(([a], [b]) => (a < b ? -1 : 1));
  return markdownTable(
    ['Licence', 'Packages', 'Which'],
    rows.map(([licence, names]) => [licence, String(names.size), [...names].sort().map(code).join(', ')]),
  );
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
