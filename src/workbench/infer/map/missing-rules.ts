// Drafts the rule for the reply to an unknown id, so that the gateway answers 404.

import type { Json } from '../../../kernel/json/json.ts';
import { isObject } from '../../../kernel/json/values.ts';
import { compileItem } from '../../../source/adapter/read/items.ts';
import { CHECKED } from '../../../source/adapter/spec/spec-location.ts';
import { isAbsent, type OutcomeDraft, outcomeRule } from '../detect/outcome-rules.ts';
import { likely, type Remark, sure, toEdit } from '../notes/note.ts';
import type { FoundRecord } from './find-record.ts';

/** The outcome for an unknown id. */
type MissingRules = { readonly rules: readonly OutcomeDraft[]; readonly remark: Remark };

/** Whether a reply reports errors beside, or in place of, a record. */
function reportsErrors(document: Json | undefined): boolean {
  return isObject(document) && ['errors', 'error'].some((key) => !isAbsent(document[key]));
}

/** Drafts the outcome for an unknown id. */
export function missingRules({ first, missing, item }: FoundRecord): MissingRules {
  const unknown = (text: string): MissingRules => ({ rules: [], remark: toEdit(text) });
  const { status } = missing.reply;
  const rule = outcomeRule(missing, first.document, { on: 'get', is: 'not_found' });
  const answer = `an unknown id is answered with HTTP ${status}`;
  const isAny = status >= 500 || status === 401 || status === 403 || status === 429;
  if (isAny && (rule === undefined || status === 429))
    return unknown(`${answer}, which is ambiguous: add a code of the body that means not_found`);
  const remark = (isAny ? likely : sure)(
    rule !== undefined && 'at' in rule ? `${answer} with the code that is named` : answer,
  );
  if (rule !== undefined) return { rules: [rule], remark };
  if (status >= 300 || !isAbsent(compileItem(item, CHECKED)(missing.document ?? null)))
    return unknown('another record is returned for an unknown id');
  if (reportsErrors(missing.document))
    return unknown(
      `${answer}, without the record and with errors as any failure has them: name the part that means not_found`,
    );
  return {
    rules:
      typeof item !== 'string' || item === ''
        ? []
        : [{ status, on: 'get', at: item, present: false, is: 'not_found' }],
    remark,
  };
}
