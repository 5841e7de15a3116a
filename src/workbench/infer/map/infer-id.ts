// Finds out for `infer` what the id of the records is: its column, whether it is a number or a text, and its form.

import { NumberText } from '../../../kernel/json/json.ts';
import { scalarText } from '../../../kernel/json/values.ts';
import { likely, type Remark, sure, toEdit } from '../notes/note.ts';
import type { ColumnChoice } from './column-tests.ts';
import type { Column } from './columns.ts';
import { maskedSample } from './describe-columns.ts';

/** The `id` section of a draft. */
export type NativeId = {
  readonly kind: 'number' | 'text';
  readonly pattern?: string;
  readonly form?: string;
};

/** Forms in which services generate ids. If ids have another form, later ids may have a different one. */
const ID_FORMS = [
  '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}',
  '[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12}',
  '[0-9a-f]{24}',
  '[0-9a-f]{32}',
  '[0-9A-HJKMNP-TV-Z]{26}',
];
/** From this number on, ids of one form are no coincidence. */
const FORM_IDS_MIN = 3;

/** The form that all ids have, if it is one of `ID_FORMS`. */
function formOf(ids: readonly string[]): string | undefined {
  if (ids.length < FORM_IDS_MIN) return undefined;
  return ID_FORMS.find((form) => ids.every((id) => new RegExp(`^(?:${form})$`).test(id)));
}

const DIGITS = /^\d{1,30}$/;
const IN_ADDRESS = /\/(\d{1,19})\/?$/;
const TEXT_IN_ADDRESS = /\/([^/?#]+)\/?$/;

/** The id of a draft: its column, and a remark on its values. */
export type IdDraft = NativeId & {
  readonly path: string;
  readonly remark: Remark;
};

/** The id at the end of a URL, for rows that have no other id: `_links.self.href`. */
function idInAddress(columns: readonly Column[]): IdDraft | undefined {
  const links = columns.filter(
    ({ words, values }) =>
      ['href', 'uri', 'url', 'self', 'id'].includes(words.at(-1) ?? '') &&
      new Set(values).size === values.length &&
      values.every(
        (value) =>
          TEXT_IN_ADDRESS.test(scalarText(value) ?? '') && /^(?:https?:)?\//.test(scalarText(value) ?? ''),
      ),
  );
  const link = links.find(({ words }) => words.includes('self')) ?? links[0];
  if (link === undefined) return undefined;
  const digits = link.values.every((value) => IN_ADDRESS.test(scalarText(value) ?? ''));
  const remark = likely('the records have their id only at the end of their own URL');
  const kind = digits ? 'number' : 'text';
  const pattern = digits ? String.raw`/(\d+)/?$` : '/([^/?#]+)/?$';
  return { kind, pattern, path: link.path, remark };
}

/** Whether ids have zeros in front that a number would lose. Ids of several widths are numbers that have outgrown them. */
const arePadded = (ids: readonly string[]) =>
  ids.some((id) => /^0\d/.test(id)) && ids.every((id) => id.length === ids[0]?.length);

/**
 * Drafts the id from the columns and the one that was chosen, or from the end of a URL; `undefined` if nothing can be the id.
 */
export function inferId(
  columns: readonly Column[],
  chosen: ColumnChoice | undefined,
  known: 'text' | undefined,
): IdDraft | undefined {
  // XML and CSV write everything as texts.
  const hasNumbers = columns.some(({ values }) =>
    values.some((value) => value instanceof NumberText || typeof value === 'number'),
  );
  const inAddress = idInAddress(columns);
  const [column] = chosen?.columns ?? [];
  if (chosen === undefined || column === undefined) return inAddress;
  if (chosen.level === 'likely' && inAddress !== undefined) return inAddress;
  const texts = column.values.map((value) => scalarText(value)?.trim() ?? '');
  // A record or two may come twice in a walk over a list that moves.
  if (texts.includes('') || new Set(texts).size < texts.length * 0.9) return inAddress;
  const asText = column.values.some((value) => typeof value === 'string');
  const isDigits = texts.every((text) => DIGITS.test(text));
  // A service that writes numbers as texts may give any text to its next record as an id.
  const kind = known ?? (isDigits && !arePadded(texts) && (!asText || !hasNumbers) ? 'number' : 'text');
  const form = kind === 'text' ? formOf(texts) : undefined;
  const seen =
    kind === 'number'
      ? `whole numbers in all ${texts.length} records seen${asText ? ', written as texts' : ''}`
      : `texts, ${isDigits ? 'today all of digits, ' : ''}never the same twice in ${texts.length} records seen${form === undefined ? '' : ', all of this form'}`;
  const others = chosen.others.map(({ path }) => path).join(', ');
  const also = chosen.others.length === 1 ? 'is' : 'are';
  const remark =
    chosen.level === 'likely'
      ? toEdit(
          `no column has the name of an id; this one is never empty and is unique (its form is ${maskedSample(texts[0] ?? '')}, where 9 is any digit and a any letter)${others === '' ? '' : `; ${others} ${also} unique, too`}`,
        )
      : sure(seen);
  return { kind, path: column.path, remark, ...(form !== undefined && { form }) };
}
