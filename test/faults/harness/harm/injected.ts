import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Code that a process runs on SIGUSR2. */
export type Injected = {
  /** The variables that the process is started with. */
  readonly env: Readonly<Record<string, string>>;
  close(): void;
};

/** Has a Node process run this JavaScript on SIGUSR2, as a fault of its own would; `before` runs at its start. */
export function inject(code: string, before = ''): Injected {
  const folder = mkdtempSync(join(tmpdir(), 'portico-injected-'));
  const file = join(folder, 'fault.mjs');
  writeFileSync(file, `${before}\nprocess.on('SIGUSR2', () => { ${code} });\n`);
  return { env: { NODE_OPTIONS: `--import ${file}` }, close: () => rmSync(folder, { recursive: true }) };
}
