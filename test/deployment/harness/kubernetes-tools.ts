import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { env } from 'node:process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Where what these rows need is installed: git and the checks of the tree leave it alone. */
const INSTALLED = join(new URL('../../../', import.meta.url).pathname, '.upstreams');

const SCHEMAS = 'kubernetes-validate==1.37.0';
/** The Kubernetes that the chart is rendered for, and whose schemas its manifests must fit. */
export const KUBERNETES = '1.37.0';

const onPath = (name: string) =>
  (env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));

const ownSchemas = join(INSTALLED, 'kubernetes-validate');

/** A program that Go builds where it is missing. */
type GoTool = {
  /** Why it cannot be run here; `undefined` where it can. */
  readonly missing: string | undefined;
  /** Its file; it is built first where there is only Go, which takes some minutes. */
  file(): Promise<string>;
};

function goTool(name: string, module: string): GoTool {
  const own = join(INSTALLED, 'bin', name);
  const known = () =>
    [onPath(name), join(env['HOME'] ?? '', 'go/bin', name), own].find((file) => existsSync(file ?? ''));
  return {
    missing: (known() ?? onPath('go')) ? undefined : `neither ${name} nor Go is here: go install ${module}`,
    async file() {
      const there = known();
      if (there !== undefined) return there;
      await run('go', ['install', module], { env: { ...env, GOBIN: join(INSTALLED, 'bin') } });
      return own;
    },
  };
}

const helm = goTool('helm', 'helm.sh/helm/v3/cmd/helm@v3.19.5');
const kubeScore = goTool('kube-score', 'github.com/zegl/kube-score/cmd/kube-score@v1.20.0');

/** Why what needs Helm cannot be run here; `undefined` where it can. */
export const noHelm = helm.missing;
/** Why kube-score cannot look at manifests here. */
export const noKubeScore = kubeScore.missing;

/** Why manifests cannot be held against the schemas of Kubernetes here. */
export const noSchemas =
  noHelm ?? (onPath('python3') ? undefined : 'Python is missing: install the Debian package python3-pip');

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
  return runTool(await helm.file(), args);
}

/** The findings of kube-score about a file of manifests: the name of each check that is not passed. */
export async function findingsOf(file: string): Promise<readonly string[]> {
  const version = `v${KUBERNETES.split('.').slice(0, 2).join('.')}`;
  const { out } = await runTool(await kubeScore.file(), [
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
