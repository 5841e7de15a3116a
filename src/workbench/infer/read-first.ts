// Gets the first reply with a list for `portico infer`: from a service, from a GraphQL service, or from saved replies.

import type { Resource } from '../../contract/resource.ts';
import type { UpstreamReply } from '../../kernel/upstream-call.ts';
import { acceptOf, type AskService, readFirstResponse, type FirstResponse } from './detect/first-response.ts';
import type { Dialect } from './dialects/dialect.ts';
import { isGraphqlAddress } from './graphql/introspect.ts';
import { readGraphqlList, withGraphqlRecord } from './graphql/read-graphql-list.ts';
import type { InferTarget } from './requests/read-target.ts';
import type { SingleRecordOptions } from './requests/single-record-request.ts';
import type { ServiceClient } from './requests/service-client.ts';

/** How the first reply is requested and read. */
export type FirstOptions = Pick<SingleRecordOptions, 'one' | 'oneBody'> & {
  readonly resource: Resource;
  /** The dialects, in the order in which they are tried. */
  readonly dialects: readonly Dialect[];
  /** Saved replies, instead of calls: the first reply of the list, then others. */
  readonly samples: readonly UpstreamReply[];
};

/** Finds the list that everything else is inferred from: at the address, or in the first saved reply. @throws InferError */
export async function readFirst(
  target: InferTarget,
  client: ServiceClient,
  options: FirstOptions,
): Promise<FirstResponse> {
  const { resource, samples, dialects } = options;
  const [sample] = samples;
  if (sample !== undefined) return readFirstResponse(resource, target.request, sample, dialects);
  const ask: AskService = (request) => client.send(request);
  const reply = await ask(target.request);
  const response = isGraphqlAddress(target.request, reply)
    ? await readGraphqlList(resource, target.request, dialects, ask)
    : await readFirstResponse(resource, target.request, reply, dialects, ask);
  client.accept = acceptOf(response.format);
  const isGiven = options.one !== undefined || options.oneBody !== undefined || !resource.hasSingle;
  return isGiven ? response : withGraphqlRecord(response, resource, target.request, ask);
}
