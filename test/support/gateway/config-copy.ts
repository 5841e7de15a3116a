import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A copy of the committed configuration that a test may write to. */
export type ConfigCopy = {
  /** The gateway's file. */
  readonly file: string;
  /**
   * Changes a text in a file of the copy, such as `sources/crm.yaml`, and tells in which line, from 1. It fails where
   * there was nothing to change.
   */
  edit(name: string, from: string, to: string): number;
  /** Gives everything so much time that a busy machine is not taken for a service that fails, or for an overload. */
  useGenerousTimeouts(): void;
  /** Leaves a folder of the copy out, if it is there. */
  drop(name: string): void;
  remove(): void;
};

/** Changes a text in a file, and tells in which line, from 1. It fails where there was nothing to change. */
export function editFile(path: string, from: string, to: string): number {
  const text = readFileSync(path, 'utf8');
  const at = text.indexOf(from);
  if (at === -1) throw new Error(`${path} has nothing like ${from}`);
  writeFileSync(path, text.slice(0, at) + to + text.slice(at + from.length));
  return text.slice(0, at).split('\n').length;
}

/** What a gateway and its commands read. The examples, documents and charts beside it are ten times as many files. */
const READ = ['portico.yaml', 'demo.yaml', 'compose.yaml', 'contract.yaml', 'sources', 'fixtures'];

/** Copies what is read of `config/` to a folder of its own. */
export function copyConfig(): ConfigCopy {
  const folder = mkdtempSync(join(tmpdir(), 'portico-config-'));
  for (const name of READ) cpSync(join('config', name), join(folder, name), { recursive: true });
  const edit = (name: string, from: string, to: string) => editFile(join(folder, name), from, to);
  return {
    file: join(folder, 'portico.yaml'),
    edit,
    useGenerousTimeouts() {
      edit('portico.yaml', 'redis:\n', 'redis:\n  commandTimeout: 60s\n  connectTimeout: 60s\n');
      edit('portico.yaml', '\nredis:', '\noverload: { eventLoopDelayMax: 1m }\n\nredis:');
      for (const source of ['crm', 'catalog']) {
        edit('portico.yaml', `    source: ${source}\n`, `    source: ${source}\n    deadline: 60s\n`);
        edit(
          `sources/${source}.yaml`,
          'timeout: 5s',
          'timeout: 60s\n  connectTimeout: 60s\n  queue: { time: 60s }',
        );
        edit(`sources/${source}.yaml`, 'time: 8s', 'time: 50s');
      }
    },
    drop: (name) => rmSync(join(folder, name), { recursive: true, force: true }),
    remove: () => rmSync(folder, { recursive: true }),
  };
}
