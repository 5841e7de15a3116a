// The types of a reload: the request, the target that is reloaded, and the outcome.

import type { ConfigTexts } from '../../config/load.ts';
import type { ConfigChange } from './find-changes.ts';
import type { MigrationList } from '../../admin/api/migration-schemas.ts';
import type { ServedConfig } from './snapshot.ts';

/** A configuration without problems, with the texts of the files from which it was read. */
export type SoundConfig = ServedConfig & { readonly texts: ConfigTexts };

/** Who asks for a reload, and how. */
export type ReloadRequest = {
  /** Who asks: the name of a token, `local` if no token is needed, `signal` or `watch`. */
  readonly actor: string;
  /** The role of the token, and the address that asked; absent if no token asked. */
  readonly role?: string | undefined;
  readonly address?: string | undefined;
  /** The reason that the operator gave, as text. */
  readonly reason?: string | undefined;
  /** True: the reload only reports what would change. */
  readonly dryRun?: boolean | undefined;
  /** True: the reload may change the contract of a resource with a migration, or end a migration. */
  readonly force?: boolean | undefined;
  /** How long to wait until every process serves the new configuration, in milliseconds; a few seconds if absent. */
  readonly waitMs?: number | undefined;
};

/** What a sound configuration would change. */
export type SoundChange = {
  readonly changes: readonly ConfigChange[];
  /** The resources with a migration whose comparison counts begin anew, because their contract changes. */
  readonly resets: readonly string[];
};

/** A process, and the digest of the configuration that it serves. */
export type ServingProcess = { readonly pid: number; readonly digest: string };

/** The outcome of a reload. */
export type ReloadOutcome = {
  /** `unchanged`: the configuration is in force already. `dry-run`: it could be applied. */
  readonly kind: 'unchanged' | 'applied' | 'refused' | 'dry-run';
  /** The number and the digest of the configuration in force after the reload. */
  readonly rev: number;
  readonly digest: string;
  readonly changes: readonly ConfigChange[];
  /** Why it was refused: for each problem the file, the line, what is wrong, and what to write. */
  readonly problems?: readonly string[];
  /** As in `SoundChange`. If a refused reload has some, they are the only problem, and `force` would put it in force. */
  readonly resets: readonly string[];
  readonly processes: readonly ServingProcess[];
  /** How many processes have not confirmed in time that they serve the configuration; they will serve it later. */
  readonly waitingFor: number;
};

/** The processes that have confirmed which configuration they serve, and how many have not. */
export type Acknowledged = Pick<ReloadOutcome, 'processes' | 'waitingFor'>;

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
