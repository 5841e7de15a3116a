// Explains how a reply was read, for `portico explain`, `doctor` and the masks of recordings. Readers of answers explain
// nothing.

import type { SourceSpec } from '../../../config/schema/source.ts';
import type { Resource } from '../../../contract/resource.ts';
import { GatewayError } from '../../../kernel/errors/fault.ts';
import type { Json } from '../../../kernel/json/json.ts';
import type { UpstreamReply } from '../../../kernel/upstream-call.ts';
import { compileDecoder } from './decode.ts';
import { explainRecord, type FieldProvenance } from '../map/explain-record.ts';
import { compileItem, compileItems } from './items.ts';
import { compileIds } from '../map/native-id.ts';
import { compileRules } from './outcome.ts';
import { compilePath } from '../spec/path.ts';
import { CHECKED } from '../spec/spec-location.ts';
import { type RecordView, viewSpecOf } from '../map/row-fields.ts';

/** Explains how a reply was read. Pure, like the adapter it explains. */
export type ReplyExplainer = NonNullable<ReturnType<typeof explainReplies>>;

/** Creates the explainer for one kind of request of a source whose file has no problems. */
export function explainReplies(source: SourceSpec, resource: Resource, view: RecordView) {
  const spec = source.resources[resource.name];
  const viewed = spec && viewSpecOf(spec, resource, view);
  if (spec === undefined || viewed === undefined) return undefined;
  const { spec: asked, fields } = viewed;
  const decode = compileDecoder(source.decode);
  const findRule = compileRules(source.outcomes, CHECKED);
  const codec = compileIds(source, spec, resource, CHECKED);
  const idPath = compilePath([asked.map['id']?.from ?? ''].flat()[0] ?? '');
  const item = 'item' in asked ? compileItem(asked.item, CHECKED) : undefined;
  const items = 'items' in asked ? compileItems(asked.items, asked.itemsAbsent, CHECKED) : undefined;

  function rowsOf(body: Json): readonly Json[] {
    return item === undefined ? (items?.(body) ?? []) : [item(body) ?? null];
  }

  /** The document of a reply; `undefined` if it cannot be read. */
  function bodyOf(reply: UpstreamReply): Json | undefined {
    try {
      return decode(reply);
    } catch (error) {
      if (error instanceof GatewayError) return undefined;
      throw error;
    }
  }

  /** The legacy records of a reply. */
  function rows(reply: UpstreamReply): readonly Json[] {
    const body = bodyOf(reply);
    return body === undefined ? [] : rowsOf(body);
  }

  return {
    body: bodyOf,
    rows,
    /** Explains the fields of a legacy record. */
    explain: (row: Json) => explainRecord(asked.map, fields, codec, row),
    /** The index of the outcome rule that decided; `undefined` if no rule matches. */
    rule: (reply: UpstreamReply) => findRule(view === 'list' ? 'list' : 'get', reply, bodyOf(reply)),
    /** Explains the record with a v1 id; `undefined` if the reply does not hold it. */
    record(reply: UpstreamReply, id: string): readonly FieldProvenance[] | undefined {
      const row = rows(reply).find((candidate) => codec.toPublic(idPath(candidate)) === id);
      return row === undefined ? undefined : explainRecord(asked.map, fields, codec, row);
    },
  };
}
