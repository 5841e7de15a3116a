// The types of a reload: what it would change, and the target that is reloaded (this process, or all workers of a primary).

import type { ReloadAnswer } from '../../admin/api/config-action-specs.ts';
import type { ConfigTexts } from '../../config/load.ts';
import type { ConfigChange } from './find-changes.ts';
import type { MigrationList } from '../../admin/api/migration-schemas.ts';
import type { ServedConfig } from './snapshot.ts';

/** A configuration without problems, with the texts of the files from which it was read. */
export type SoundConfig = ServedConfig & { readonly texts: ConfigTexts };

/** What a sound configuration would change. */
export type SoundChange = {
  readonly changes: readonly ConfigChange[];
  /** The resources with a migration whose comparison counts begin anew, because their contract changes. */
  readonly resets: readonly string[];
};

/** The processes that have confirmed which configuration they serve, and how many have not. */
export type Acknowledged = Pick<ReloadAnswer, 'processes' | 'waitingFor'>;

/** A configuration that every process has compiled. Call exactly one of the two functions, once. */
export type StagedReload = {
  /** Puts it in force in all processes. Resolves once all have confirmed it, or after `waitMs`. */
  apply(waitMs: number): Promise<Acknowledged>;
  readonly discard: () => Promise<unknown>;
};

/** The positions of the migrations of the configuration in force; `undefined` if they are not known now. */
export type KnownMigrations = MigrationList['migrations'] | undefined;

/** What a reload acts on: this process, or all workers. */
export type ReloadTarget = {
  readonly inForce: { readonly rev: number; readonly digest: string };
  /** Makes every process compile a configuration. If one cannot, it rejects and no process keeps the configuration. */
  stage(next: SoundConfig): Promise<StagedReload>;
  /** Asks for the positions of the migrations of the configuration in force. */
  readonly migrations: () => Promise<KnownMigrations>;
  /** Asks which configuration each process serves now; waits for `waitMs` at most. */
  acknowledged(waitMs: number): Promise<Acknowledged>;
};
