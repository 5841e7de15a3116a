import type { RequestSpec } from '../../../config/schema/source.ts';
import type { Resource } from '../../../contract/resource.ts';
import type { Json, JsonObject } from '../../../kernel/json/json.ts';
import type { UpstreamReply } from '../../../kernel/upstream-call.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { ServiceClient } from '../requests/service-client.ts';
import type { MapDraft } from './map-fields.ts';

/** What `infer` knows of the list when it looks for the view of one record. */
export type RecordContext = {
  readonly client: ServiceClient;
  readonly read: (reply: UpstreamReply) => Json | undefined;
  readonly resource: Resource;
  readonly dialect: Dialect | undefined;
  /** The paths of columns that the operator names, by field. */
  readonly columns: Readonly<Record<string, string>>;
  /** The resources whose ids the source describes. */
  readonly described: ReadonlySet<string>;
  readonly request: RequestSpec;
  /** The operator's request for one record, with an id of the list in it. */
  readonly given: RequestSpec | undefined;
  readonly rows: readonly JsonObject[];
  readonly isTable: boolean;
  readonly list: MapDraft;
};
