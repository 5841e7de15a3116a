/**
 * A claim of a source: `order` (without a sort parameter), `sort.<field>.<direction>` or `filter.<field>.<op>`. A claim
 * that a reply contradicts is switched off.
 */
export type Capability = string;

/** Switched off beside a sort if not the sort but rows that are equal in it keep a page from being answered by it. */
export const TIES: Capability = 'ties';

/** The claim that the source knows the credential: while it is contradicted, there are no answers. */
export const PROOF: Capability = 'auth.proof';

/** Whether it is an alarm of a field that many records suddenly lack, kept like a claim: `field.<name>.gone` or `.unreadable`. */
export const isFieldAlarm = (capability: Capability): boolean => capability.startsWith('field.');
