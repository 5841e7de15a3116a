/**
 * A claim of a source: `order` (without a sort parameter), `sort.<field>.<direction>` or `filter.<field>.<op>`. A claim
 * that a reply contradicts is switched off.
 */
export type Capability = string;

/** Switched off beside a sort if not the sort but rows that are equal in it keep a page from being answered by it. */
export const TIES: Capability = 'ties';
