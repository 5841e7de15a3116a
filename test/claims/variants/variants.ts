import { endVariants } from './end-variants.ts';
import { orderVariants } from './order-variants.ts';
import { valueVariants } from './value-variants.ts';
import { variantRowsOf } from './variant-row.ts';

/** Services that break a promise in ways of their own, and correct ones of the same shapes. */
export const variantRows = variantRowsOf([...orderVariants, ...endVariants, ...valueVariants]);
