import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** A commit, unpacked with its packages in a folder of its own. */
export type Checkout = { readonly commit: string; readonly main: string };

/**
 * Unpacks a commit below `scratch`, so that nothing has to be registered with git or removed from it later. Its packages
 * are those of this checkout where both have the same lock file, and installed otherwise.
 * @throws Error where there is no such commit, or its packages cannot be installed
 */
export function checkOut(commit: string, scratch: string): Checkout {
  const id = execFileSync('git', ['rev-parse', '--short', `${commit}^{commit}`], {
    cwd: root,
    encoding: 'utf8',
  }).trim();
  const folder = join(scratch, `checkout-${id}`);
  mkdirSync(folder);
  const archive = `${folder}.tar`;
  execFileSync('git', ['archive', '--format=tar', '-o', archive, id], { cwd: root });
  execFileSync('tar', ['-xf', archive, '-C', folder]);
  const lockOf = (of: string) => readFileSync(join(of, 'package-lock.json'), 'utf8');
  if (lockOf(folder) === lockOf(root)) symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  else
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: folder,
      stdio: 'ignore',
    });
  return { commit: id, main: join(folder, 'src/main.ts') };
}
