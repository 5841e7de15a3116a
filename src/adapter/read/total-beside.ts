import type { ListSpec } from '../../config/schema/source.ts';
import { GatewayError } from '../../errors/fault.ts';
import type { Json } from '../../kernel/json/json.ts';
import type { UpstreamReply } from '../../kernel/upstream-call.ts';
import type { OtherType, TypeWatch } from '../map/certified-types.ts';
import type { OnGap } from '../map/map-record.ts';
import type { TotalReader } from './total.ts';

/** What is told beside rows that were just read. */
export type BesideRows = {
  readonly total: number | undefined;
  readonly isTotalLost?: boolean;
  readonly otherTypes: readonly OtherType[] | undefined;
};

/** Compiles what reads the total in a reply with rows. An unreadable one is ignored, because the rows can be counted. */
export function compileTotalBeside({ total: spec }: ListSpec, total: TotalReader, types: TypeWatch) {
  return (reply: UpstreamReply, body: Json, onGap: OnGap): BesideRows => {
    const otherTypes = types.take();
    if (spec?.count !== undefined) return { otherTypes, total: undefined };
    try {
      return { otherTypes, total: total(reply, body) };
    } catch (error) {
      if (!(error instanceof GatewayError) || error.reason !== 'total') throw error;
      onGap('total', 'unreadable');
      return { otherTypes, total: undefined, isTotalLost: true };
    }
  };
}
