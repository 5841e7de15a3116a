import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { runCommand } from '../../support/command/run-command.ts';
import { KUBERNETES, runHelm, type ToolRun } from './kubernetes-tools.ts';

export const CHART = 'config/helm/portico';
const OWN_VALUES = 'test/deployment/chart/values';
const GOLDEN = 'test/deployment/chart/golden';

/** A values file of the chart's examples, or of the tests, and what is rendered of it. */
export type ValuesFile = { readonly name: string; readonly file: string; readonly golden: string };

const filesOf = (folder: string) =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => ({ name: basename(file, '.yaml'), file: join(folder, file), golden: join(GOLDEN, file) }));

/** The examples of the chart, and what else is rendered. */
export const allValues: readonly ValuesFile[] = [...filesOf(`${CHART}/examples`), ...filesOf(OWN_VALUES)];

/** A file of YAML as a tree. */
export const readYaml = (file: string): unknown => parse(readFileSync(file, 'utf8'));

/** Renders the chart with values, and with words such as `--set`. */
export function renderChart(values: string, ...more: readonly string[]): Promise<ToolRun> {
  return runHelm('template', 'portico', CHART, '--kube-version', KUBERNETES, '--values', values, ...more);
}

/** What stands in a rendered manifest, as far as a test looks at it. */
export type Manifest = {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: Record<string, unknown>;
};

/** The manifests of a rendered chart. */
export const manifestsOf = (text: string): readonly Manifest[] =>
  parseAllDocuments(text).map((document) => document.toJS() as Manifest);

/** The folders of secrets that the configurations name. */
const MOUNTED = /\/etc\/portico-[\w-]+/g;

/** Runs `portico check` on the texts of a gateway file and its sources, with a value for each of their variables. */
export async function checkTexts(folder: string, gateway: string, sources: Readonly<Record<string, string>>) {
  mkdirSync(join(folder, 'sources'), { recursive: true });
  const texts = { 'portico.yaml': gateway } as Record<string, string>;
  for (const [name, text] of Object.entries(sources)) texts[`sources/${name}.yaml`] = text;
  const env: Record<string, string> = {};
  for (const [file, text] of Object.entries(texts)) {
    const here = text.replaceAll(MOUNTED, folder);
    for (const [, path = ''] of here.matchAll(/\$\{file:([^}]+)\}/g))
      writeFileSync(path, 'a-secret-for-checking');
    for (const [, name = ''] of here.matchAll(/\$\{([A-Z_]+)\}/g)) env[name] = valueFor(name);
    writeFileSync(join(folder, file), here);
  }
  return runCommand(['--config', join(folder, 'portico.yaml'), 'check'], env);
}

const KNOWN: Readonly<Record<string, string>> = {
  PORT: '8080',
  ADMIN_PORT: '9090',
  ADMIN_HOST: '0.0.0.0',
  WORKERS: '2',
};

/** A value that fits the name of a variable. Nobody listens there. */
function valueFor(name: string): string {
  if (name in KNOWN) return KNOWN[name] ?? '';
  if (name.endsWith('REDIS_URL')) return 'rediss://127.0.0.1:1';
  return name.endsWith('_URL') ? 'http://127.0.0.1:1' : `a-secret-of-${name.toLowerCase()}`;
}

/** The gateway file and the sources of a rendered ConfigMap, by the names under which they are mounted. */
export function mountedTexts(manifests: readonly Manifest[]) {
  const data = manifests.find(({ kind }) => kind === 'ConfigMap')?.data ?? {};
  const sources = Object.entries(data).flatMap(([key, text]) => {
    const [, name] = /^source\.(.+)\.yaml$/.exec(key) ?? [];
    return name === undefined ? [] : [[name, text] as const];
  });
  return { gateway: data['portico.yaml'] ?? '', sources: Object.fromEntries(sources) };
}
