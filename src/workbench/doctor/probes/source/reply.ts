// Probes the form of the replies of a source, and whether it notices a parameter that it does not know.

import { contentTypesOf } from '../../../../config/schema/net/connection.ts';
import { type Claim, claimOf, type Evidence } from '../../../../source/checks/claim.ts';
import {
  describeExchange,
  idsOf,
  listPlace,
  rowsAt,
  sameIds,
  sizeOf,
} from '../../../../source/checks/evidence/ask.ts';
import { concludeAt, type Finding } from '../../../../source/checks/evidence/finding.ts';

/** A parameter that no source knows. */
const UNKNOWN = { 'portico-doctor': '1' };

/** Observes whether the source notices a parameter that it does not know. */
async function checkUnknown({ ask, first }: Evidence): Promise<Finding> {
  const conclude = concludeAt('unknown parameter', '', listPlace(ask, 'request'));
  const exchange = await rowsAt(ask, 0, sizeOf(ask.list), { query: UNKNOWN });
  if (exchange.value === undefined) return conclude('noted', `refused: ${describeExchange(exchange)}`);
  return sameIds(idsOf(exchange), idsOf(first).slice(0, idsOf(exchange).length))
    ? conclude('noted', 'ignored: the source does not notice a wrong name of a parameter')
    : conclude('noted', 'answered with other rows');
}

/** Checks the content type and the character set of replies. */
function checkType({ ask: { spec }, first }: Evidence): Finding {
  const { decode } = spec;
  const header = first.reply.header('content-type') ?? '';
  const mediaType = /^[\w.+-]+\/[\w.+-]+/.exec(header)?.[0] ?? 'none';
  const charset = /charset="?([\w.:-]{1,40})/i.exec(header)?.[1];
  const conclude = concludeAt('content type', `replies are ${contentTypesOf(decode).join(' or ')}`, [
    'decode',
  ]);
  const own = decode.charset?.toLowerCase();
  if (own !== undefined && charset !== undefined && charset.toLowerCase() !== own)
    return conclude('noted', `${mediaType}; the source says ${charset}, the file says ${own}`);
  if (charset !== undefined || own !== undefined)
    return conclude('agrees', `${mediaType}, ${charset ?? own ?? ''}`);
  return conclude('agrees', `${mediaType}, with no character set: read as UTF-8`);
}

/** The claims about the form of replies, and whether the source checks the parameters of requests. */
export const replyClaims: readonly [Claim, Claim] = [
  claimOf('content type', checkType),
  claimOf('unknown parameter', checkUnknown),
];
