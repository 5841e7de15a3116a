import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A wall clock of one process that jumps when it is told to; its monotonic clock goes on as it did. */
export type ShiftedClock = {
  /** The variables that a process is started with. */
  readonly env: Readonly<Record<string, string>>;
  /** Sets the process' clock off the real one: `+1h`, `-1h`, `+0`. */
  shift(by: string): void;
  close(): void;
};

/** libfaketime, of the Debian package `faketime`; `undefined` where it is not installed. */
function findLibrary(): string | undefined {
  return ['/usr/lib', '/usr/local/lib']
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => [folder, ...readdirSync(folder).map((name) => join(folder, name))])
    .map((folder) => join(folder, 'faketime/libfaketimeMT.so.1'))
    .find((file) => existsSync(file));
}

const library = findLibrary();

/** Why rows with clocks that jump cannot be run here; absent where they can. */
export const clockSkip: { readonly skip?: string } =
  library === undefined ? { skip: 'libfaketime is not installed (Debian: faketime)' } : {};

/** Makes a clock for one process. */
export function createShiftedClock(): ShiftedClock {
  if (library === undefined) throw new Error('a row with a clock needs `clockSkip`');
  const folder = mkdtempSync(join(tmpdir(), 'portico-clock-'));
  const file = join(folder, 'shift');
  const shift = (by: string) => writeFileSync(file, `${by}\n`);
  shift('+0');
  return {
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    shift,
    close: () => rmSync(folder, { recursive: true }),
  };
}
