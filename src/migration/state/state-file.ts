// Keeps states in the file `migrations.json` of `state.dir`, for a start without Redis.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../store/replace-file.ts';
import type { MigrationState, Position } from './migration-state.ts';
import { asState } from './state-format.ts';

/** The part of one migration that is kept for the next start. */
export type KeptState = {
  readonly state: MigrationState;
  /** The state that only this process uses, because an operator has rolled it back while Redis was down. */
  readonly override?: MigrationState | undefined;
  /** The stage and share in the configuration when this was kept. */
  readonly declared: Position;
};

/** The states in `state.dir`, for a start without Redis. */
export type StateFile = {
  /** The states in the file; none if there is no file, or it is damaged. */
  read(): readonly KeptState[];
  /** Never throws, because the gateway also works without the file. */
  write(states: readonly KeptState[]): void;
};

const FILE = 'migrations.json';
const VERSION = 1;

function asKept(value: unknown): readonly KeptState[] {
  const { state, override, declared } = Object(value) as Record<keyof KeptState, unknown>;
  const sound = asState(state);
  if (sound === undefined || typeof declared !== 'object' || declared === null) return [];
  return [{ state: sound, override: asState(override), declared: declared as Position }];
}

/**
 * Opens the file in a folder; without a folder nothing is kept. All workers of a gateway write the same file, so each worker first
 * writes a draft with its `instance` in the name. `onFailure` is called if a write fails.
 */
export function openStateFile(
  folder: string | undefined,
  instance: string,
  onFailure: (problem: string) => void,
): StateFile {
  if (folder === undefined) return { read: () => [], write: () => undefined };
  const draft = `${FILE}.${instance.replaceAll(/[^\w-]/g, '-')}.new`;
  let written = '';
  return {
    read() {
      try {
        const { version, states } = JSON.parse(readFileSync(join(folder, FILE), 'utf8')) as {
          version?: unknown;
          states?: unknown;
        };
        return version === VERSION && Array.isArray(states) ? states.flatMap(asKept) : [];
      } catch {
        return [];
      }
    },
    write(states) {
      const text = JSON.stringify({ version: VERSION, states });
      if (text === written) return;
      try {
        replaceFile(folder, FILE, text, draft);
        written = text;
      } catch (error) {
        onFailure(error instanceof Error ? error.message : 'unknown');
      }
    },
  };
}
