import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { env } from 'node:process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Where what these rows need is installed: git and the checks of the tree leave it alone. */
const INSTALLED = join(new URL('../../../', import.meta.url).pathname, '.upstreams');

const HELM = 'helm.sh/helm/v3/cmd/helm@v3.19.5';
const KUBE_SCORE = 'github.com/zegl/kube-score/cmd/kube-score@v1.20.0';
const SCHEMAS = 'kubernetes-validate==1.37.0';
/** The Kubernetes that the chart is rendered for, and whose schemas its manifests must fit. */
export const KUBERNETES = '1.37.0';

const onPath = (name: string) =>
  (env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));

const ownHelm = join(INSTALLED, 'bin', 'helm');
const ownSchemas = join(INSTALLED, 'kubernetes-validate');
const knownHelm = () =>
  [onPath('helm'), join(env['HOME'] ?? '', 'go/bin/helm'), ownHelm].find((file) => existsSync(file ?? ''));

/** Why what needs Helm cannot be run here; `undefined` where it can. */
export const noHelm =
  (knownHelm() ?? onPath('go')) ? undefined : `neither Helm nor Go is here: go install ${HELM}`;

/** Why manifests cannot be held against the schemas of Kubernetes here. */
export const noSchemas =
  noHelm ?? (onPath('python3') ? undefined : 'Python is missing: install the Debian package python3-pip');

/** The program of Helm; built first where there is only Go, which takes some minutes. */
async function helmFile(): Promise<string> {
  const known = knownHelm();
  if (known !== undefined) return known;
  await run('go', ['install', HELM], { env: { ...env, GOBIN: join(INSTALLED, 'bin') } });
  return ownHelm;
}

/** How a program ended, and what it wrote. */
export type ToolRun = { readonly code: number; readonly out: string };

async function runTool(
  file: string,
  args: readonly string[],
  more: NodeJS.ProcessEnv = {},
): Promise<ToolRun> {
  try {
    const { stdout } = await run(file, args, { env: { ...env, ...more }, maxBuffer: 64 * 1024 ** 2 });
    return { code: 0, out: stdout };
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code?: number; stdout?: string; stderr?: string };
    return { code: code ?? 1, out: `${stdout}${stderr}` };
  }
}

/** Runs Helm with these words. */
export async function runHelm(...args: readonly string[]): Promise<ToolRun> {
  return runTool(await helmFile(), args);
}

/** Why kube-score cannot look at manifests here: it is built by Go where it is missing. */
export const noKubeScore =
  (onPath('kube-score') ?? onPath('go')) ? undefined : `Go is missing: go install ${KUBE_SCORE}`;

/** The findings of kube-score about a file of manifests: the name of each check that is not passed. */
export async function findingsOf(file: string): Promise<readonly string[]> {
  const own = join(INSTALLED, 'bin', 'kube-score');
  const known = onPath('kube-score') ?? (existsSync(own) ? own : undefined);
  if (known === undefined)
    await run('go', ['install', KUBE_SCORE], { env: { ...env, GOBIN: join(INSTALLED, 'bin') } });
  const version = `v${KUBERNETES.split('.').slice(0, 2).join('.')}`;
  const { out } = await runTool(known ?? own, [
    ...['score', file, '--kubernetes-version', version, '--output-format', 'json'],
  ]);
  const objects = JSON.parse(out) as readonly {
    readonly checks: readonly { check: { id: string }; grade: number; skipped: boolean }[];
  }[];
  const failed = objects.flatMap(({ checks }) =>
    checks.filter(({ grade, skipped }) => !skipped && grade < 10),
  );
  return failed.map(({ check }) => check.id);
}

/** Holds manifests against the schemas of Kubernetes; a field that no schema knows is wrong. */
export async function validateManifests(...files: readonly string[]): Promise<ToolRun> {
  const PYTHONPATH = ownSchemas;
  const isThere = (await runTool('python3', ['-c', 'import kubernetes_validate'], { PYTHONPATH })).code === 0;
  if (!isThere)
    await run('python3', ['-m', 'pip', 'install', '--quiet', '--target', ownSchemas, SCHEMAS], { env });
  const args = ['-W', 'ignore', '-m', 'kubernetes_validate', '--strict', '-k', KUBERNETES, ...files];
  return runTool('python3', args, { PYTHONPATH });
}
