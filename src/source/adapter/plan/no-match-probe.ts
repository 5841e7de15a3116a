import type { CoercionSpec } from '../../../config/schema/source.ts';

/** A label that no record is likely to have. */
export const NO_MATCH_LABEL = 'none-7f3a9c';
/** A number that is hardly the code of anything; it fits 32 bits. */
const ABSENT_CODE = '987654321';

/**
 * What a source is sent for the label that no record has. A file that lists the codes of a source has no code for that
 * label. Then the source is sent a value that is not among the codes: a number where all codes are numbers.
 */
export function noMatchNative(steps: readonly CoercionSpec[]): string {
  const codes = steps.flatMap((step) =>
    typeof step === 'object' && 'enum' in step ? Object.keys(step.enum) : [],
  );
  return codes.length > 0 && codes.every((code) => /^\d+$/.test(code)) ? ABSENT_CODE : NO_MATCH_LABEL;
}
