// What `portico infer` knows of a service when it drafts the list, and when it drafts the view of one record.

import type { RequestSpec } from '../../../config/schema/source.ts';
import type { Resource } from '../../../contract/resource.ts';
import type { JsonObject } from '../../../kernel/json/json.ts';
import type { FirstResponse } from '../detect/first-response.ts';
import type { ServiceClient } from '../requests/service-client.ts';
import type { MapDraft } from './map-fields.ts';

/** What is known of a service before the views of a resource are inferred. */
export type InferContext = {
  readonly client: ServiceClient;
  readonly resource: Resource;
  readonly response: FirstResponse;
  /** The paths of columns that the operator names, by field. */
  readonly columns: Readonly<Record<string, string>>;
  /** The resources whose ids the source describes. */
  readonly described: ReadonlySet<string>;
};

/** What `infer` knows of the list when it looks for the view of one record. */
export type RecordContext = InferContext & {
  /** The operator's request for one record, with an id of the list in it. */
  readonly given: RequestSpec | undefined;
  readonly rows: readonly JsonObject[];
  readonly list: MapDraft;
};
