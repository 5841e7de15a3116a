// The stages have a file of their own, because the console's page imports them and must not import anything of Node.
/** The stages of a migration, in order. */
export const stages = ['legacy', 'shadow', 'ramp', 'live', 'complete'] as const;

/**
 * `shadow` compares, `ramp` serves some callers from the new source, `live` all of them with the legacy one to fall back
 * on, and `complete` without it. `legacy` does none of this.
 */
export type MigrationStage = (typeof stages)[number];
