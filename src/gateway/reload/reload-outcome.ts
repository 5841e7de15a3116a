import type { ConfigTexts } from '../../config/load.ts';
import type { ConfigChange } from './find-changes.ts';
import type { MigrationList } from '../../admin/api/migration-schemas.ts';
import type { ServedConfig } from './snapshot.ts';

/** A configuration that `portico check` calls sound, with the texts it was read from. */
export type SoundConfig = ServedConfig & { readonly texts: ConfigTexts };

/** Who asks for a reload, and how. */
export type ReloadRequest = {
  /** The name of a token, `local` if none is needed, `signal` or `watch`. */
  readonly actor: string;
  /** The role of the token, and the address that asked; absent if no token asked. */
  readonly role?: string | undefined;
  readonly address?: string | undefined;
  /** Why, in the words of the one who asks. */
  readonly reason?: string | undefined;
  /** Only reports what would change. */
  readonly dryRun?: boolean | undefined;
  /** Changes the contract of a resource, or ends its migration, even while it moves to another source. */
  readonly force?: boolean | undefined;
  /** How long to wait until every process serves the new configuration; a few seconds if absent. */
  readonly waitMs?: number | undefined;
};

/** What a sound configuration makes different. */
export type SoundChange = {
  readonly changes: readonly ConfigChange[];
  /** The resources that move to another source and whose comparison counts begin anew, because their contract changes. */
  readonly resets: readonly string[];
};

/** A process, and the digest of the configuration that it serves. */
export type ServingProcess = { readonly pid: number; readonly digest: string };

/** What became of a reload. */
export type ReloadOutcome = {
  /** `unchanged`: it is in force already. `dry-run`: it could be applied. */
  readonly kind: 'unchanged' | 'applied' | 'refused' | 'dry-run';
  /** The number and the digest of the configuration in force afterwards. */
  readonly rev: number;
  readonly digest: string;
  readonly changes: readonly ConfigChange[];
  /** Why it was refused: file, line, what is wrong, what to write. */
  readonly problems?: readonly string[];
  /** As in `SoundChange`. Of one that is refused: nothing else hinders it, and `force` puts it in force; empty otherwise. */
  readonly resets: readonly string[];
  readonly processes: readonly ServingProcess[];
  /** How many processes have not confirmed in time that they serve it; they will serve it when they get to it. */
  readonly waitingFor: number;
};

/** The processes that have confirmed what they serve, and how many have not. */
export type Acknowledged = Pick<ReloadOutcome, 'processes' | 'waitingFor'>;

/** A configuration that every process has compiled. Call exactly one of the two, once. */
export type StagedReload = {
  /** Puts it in force everywhere. Resolves once all processes have confirmed it, or the time is over. */
  apply(waitMs: number): Promise<Acknowledged>;
  readonly discard: () => Promise<unknown>;
};

/** Where the migrations of the configuration in force are; `undefined` if nobody says so now. */
export type KnownMigrations = MigrationList['migrations'] | undefined;

/** What is reloaded: this process, or all workers. */
export type ReloadTarget = {
  readonly inForce: { readonly rev: number; readonly digest: string };
  /** Has every process compile a configuration. Rejects if one cannot; none keeps it then. */
  stage(next: SoundConfig): Promise<StagedReload>;
  /** Where the migrations of the configuration in force are. */
  readonly migrations: () => Promise<KnownMigrations>;
  /** What the processes serve now. */
  acknowledged(waitMs: number): Promise<Acknowledged>;
};
