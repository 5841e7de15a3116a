import type { Problem } from '../yaml/problem.ts';
import type { YamlFile } from '../yaml/yaml-file.ts';
import type { VersionChange } from './version-changes.ts';

type Tree = Readonly<Record<string, unknown>>;
const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null;

/** The paths of a file that a pattern stands for, but for its last key. */
function parentsOf(
  value: unknown,
  at: readonly string[],
  path: readonly string[] = [],
): readonly (readonly string[])[] {
  const [first = '', ...rest] = at;
  if (!isTree(value)) return [];
  if (rest.length === 0) return [path];
  const names = first === '*' ? Object.keys(value) : first in value ? [first] : [];
  return names.flatMap((name) => parentsOf(value[name], rest, [...path, name]));
}

function has(value: unknown, path: readonly string[]): boolean {
  const end = path.reduce<unknown>((tree, name) => (isTree(tree) ? tree[name] : undefined), value);
  return end !== undefined;
}

/** Whether a version is later than another one. */
function isLater(version: string, than: string): boolean {
  const numbers = (text: string) => text.split('.').map(Number);
  const [one, other] = [numbers(version), numbers(than)];
  const at = one.findIndex((number, index) => number !== other[index]);
  return at !== -1 && (one[at] ?? 0) > (other[at] ?? 0);
}

/** What the changes of later versions than `from` mean for one file, with its lines. */
export function upgradeNotes(
  yaml: Pick<YamlFile, 'content' | 'problemAt'>,
  of: VersionChange['in'],
  changes: readonly VersionChange[],
  from: string,
): readonly Problem[] {
  const content = yaml.content();
  const ours = changes.filter((change) => change.in === of && isLater(change.version, from));
  return ours.flatMap(({ version, at, kind, mend }) => {
    const key = at.at(-1) ?? '';
    const paths = parentsOf(content, at).map((parent) => [...parent, key]);
    if ('newDefault' in kind)
      return paths
        .filter((path) => !has(content, path))
        .map((path) =>
          yaml.problemAt(path, `not set, and since ${version} that means ${kind.newDefault}`, mend),
        );
    return paths
      .filter((path) => has(content, path))
      .map((path) =>
        yaml.problemAt(path, `deprecated since ${version}; ${kind.deprecatedUntil} will refuse it`, mend),
      );
  });
}
