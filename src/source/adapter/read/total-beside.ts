import type { ListSpec } from '../../../config/schema/source.ts';
import { GatewayError } from '../../../kernel/errors/fault.ts';
import type { Json } from '../../../kernel/json/json.ts';
import type { UpstreamReply } from '../../../kernel/upstream-call.ts';
import type { OnMissingValue } from '../map/map-record.ts';
import type { TotalReader } from './total.ts';

/** The total beside rows. */
export type TotalBeside = { readonly total: number | undefined; readonly isTotalLost?: boolean };

/** Compiles what reads the total in a reply with rows. An unreadable one is ignored, because the rows can be counted. */
export function compileTotalBeside({ total: spec }: ListSpec, total: TotalReader) {
  return (reply: UpstreamReply, body: Json, onMissingValue: OnMissingValue): TotalBeside => {
    if (spec?.count !== undefined) return { total: undefined };
    try {
      return { total: total(reply, body) };
    } catch (error) {
      if (!(error instanceof GatewayError) || error.reason !== 'total') throw error;
      onMissingValue('total', 'unreadable');
      return { total: undefined, isTotalLost: true };
    }
  };
}
