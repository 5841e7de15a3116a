import type { Field } from '../../../contract/fields.ts';
import { InferError } from '../notes/note.ts';

/**
 * Refuses fields that a draft can neither leave null nor read. They are never null, and they (or the elements of their list)
 * refer to a resource that the file does not describe.
 * @throws InferError
 */
export function refuseUndescribed(fields: readonly Field[], described: ReadonlySet<string>): void {
  for (const { name, required, to, list } of fields) {
    if (!required) continue;
    if (list !== undefined) refuseUndescribed([list.of].flat(), described);
    if (to !== undefined && !described.has(to))
      throw new InferError(
        `${name} is never null and refers to ${to}, which the draft does not describe`,
        `name its list, too: --resource ${to}=<address>, or --into a file that has it`,
      );
  }
}
