import type { CoercionSpec } from '../../config/schema/source.ts';

/** A label that no record is likely to have. */
export const ABSENT_LABEL = 'none-7f3a9c';
/** A number that is hardly the code of anything; it fits 32 bits. */
const ABSENT_CODE = '987654321';

/**
 * What a source is sent for the label that no record has. Where the file lists the codes of a source, no code stands for
 * that label, so one is sent that is not among them: a number where all of them are.
 */
export function absentNative(steps: readonly CoercionSpec[]): string {
  const codes = steps.flatMap((step) =>
    typeof step === 'object' && 'enum' in step ? Object.keys(step.enum) : [],
  );
  return codes.length > 0 && codes.every((code) => /^\d+$/.test(code)) ? ABSENT_CODE : ABSENT_LABEL;
}
