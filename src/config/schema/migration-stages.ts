// A file of its own, because the page of the console imports it, and must not import what needs Node.
/** The stages of a migration, in order. */
export const stages = ['legacy', 'shadow', 'ramp', 'live', 'complete'] as const;

/**
 * `shadow` compares, `ramp` serves some callers from the new source, `live` all of them with the legacy one to fall back
 * on, and `complete` without it. `legacy` does none of this.
 */
export type MigrationStage = (typeof stages)[number];
