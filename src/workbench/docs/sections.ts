/** A section of the reference (config/docs/reference.md): a value of a file, with an explanation beside its keys. */
export type Section = {
  /** The title of the section; its keys are printed below this name. */
  readonly name: string;
  /** The path of its value in the schema: keys of maps; `[]` for the items of a list. */
  readonly at: readonly string[];
  readonly intro: string;
  /** The value as YAML; a test checks it against the schema. */
  readonly example?: string;
};

/** The sections of the gateway file, in reading order. */
export const gatewaySections: readonly Section[] = [
  {
    name: 'resources',
    at: ['resources', '<resource>'],
    intro:
      'Which source answers for a resource: `resources.users`, `resources.products`, or both. An operation without a source is 404.',
    example: '{ source: crm, deadline: 10s, cache: { fresh: 10s, notFound: 2s } }',
  },
  {
    name: 'listen',
    at: ['listen'],
    intro: 'The public listener.',
    example: '{ host: 0.0.0.0, port: "8080", trustProxy: [10.0.0.0/8], drain: 5s }',
  },
  {
    name: 'admin',
    at: ['admin'],
    intro:
      "The operator's listener: health, metrics, and what operators do while the gateway runs. /livez and /readyz ask for no token. All else does where `token` or `tokens` has one; without any, programs on this machine alone may call it.",
  },
  { name: 'log', at: ['log'], intro: 'The log: JSON lines on standard output.' },
  {
    name: 'telemetry',
    at: ['telemetry'],
    intro: 'Traces. They need packages that are optional dependencies of Portico; the image has them.',
    example: `traces:
  endpoint: http://collector.example:4318/v1/traces
  headers: { Authorization: Bearer the-token-of-the-collector }
  ratio: 0.05`,
  },
  {
    name: 'redis',
    at: ['redis'],
    intro: 'Where keys, limits and finished answers are shared between processes.',
    example: '{ url: "rediss://user:password@redis.example:6380/0", prefix: "portico:" }',
  },
  {
    name: 'redis.keys',
    at: ['redis', 'keys'],
    intro: `A Redis of its own for API keys; likewise \`redis.limits\` and \`redis.cache\` for these. A role with an
address of its own also has its own user, password and TLS; a role without one uses the Redis of the rest. Roles with the same settings share a
connection. \`portico keys\` works on that of keys, \`portico cache purge\` on that of the cache. Without the Redis of keys a
gateway is ready while it can serve known keys or tokens; without another it is, and \`/readyz\` says so.`,
    example: '{ url: "rediss://portico-keys:password@redis-keys.example:6380/0" }',
  },
  {
    name: 'auth.apiKeys',
    at: ['auth', 'apiKeys'],
    intro: 'API keys. Without it, keys are refused.',
    example: `pepper: at-least-sixteen-characters # better: \${file:/run/secrets/pepper}
keys: # from \`portico keys create --print\`
  - id: 7qk2zr4m
    hash: 3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
    label: mobile app
    permissions: [users:read, products:read]`,
  },
  {
    name: 'auth.jwt',
    at: ['auth', 'jwt'],
    intro:
      'Tokens of an issuer. Without it, tokens are refused. `exp`, `sub`, `iss` and `aud` are required in a token.',
    example: `issuer: https://login.example.com/
audience: portico
jwksUrl: https://login.example.com/.well-known/jwks.json
permissionsClaim: scope`,
  },
  {
    name: 'limits',
    at: ['limits'],
    intro: 'How often a caller may ask, by the tier of its key or token.',
    example: `tiers:
  standard: { windows: [20 per 1s, 600 per 60s] }
  partner: { windows: [50 per 1s, 50000 per 1d], onStoreFailure: closed }
failedCredentials: 120 per 60s`,
  },
  {
    name: 'cache',
    at: ['cache'],
    intro: 'Finished answers, kept in this process in front of Redis, or alone.',
  },
  {
    name: 'state',
    at: ['state'],
    intro: `What a gateway keeps on disk: the texts of the last good configuration, as they were written. References such as
\`\${NAME}\` and \`\${file:…}\` stay references, so no secret is kept that does not stand in a file itself.`,
    example: '{ dir: /var/lib/portico }',
  },
  { name: 'contract', at: ['contract'], intro: 'Where the contract leaves a choice.' },
  { name: 'errors', at: ['errors'], intro: 'How errors of the server side are reported.' },
  {
    name: 'cors',
    at: ['cors'],
    intro: 'Web pages that may call the API from a browser.',
    example: '{ origins: ["https://app.example.com"] }',
  },
  {
    name: 'passthrough',
    at: ['passthrough', '[]'],
    intro:
      'A list of routes that are authenticated, limited and logged, and otherwise passed on untranslated.',
    example: `name: orders
path: /legacy/orders
upstream: http://orders.internal:7103
permission: orders:read
headers: { X-Token: s3cret }`,
  },
];

/** The sections of a source file, in reading order. */
export const sourceSections: readonly Section[] = [
  {
    name: 'net',
    at: ['net'],
    intro: 'How the source is reached.',
    example: `baseUrl: https://erp.example.com/api
timeout: 3s
concurrency: 4
headers: { X-Tenant: acme }`,
  },
  {
    name: 'auth',
    at: ['auth'],
    intro: "Portico's own credential for the source. A caller's credential never reaches a source.",
    example: '{ kind: header, name: Authorization, value: Bearer s3cret }',
  },
  {
    name: 'decode',
    at: ['decode'],
    intro: 'How the bytes of a reply become a document.',
    example: '{ format: csv, charset: windows-1252, delimiter: ";" }',
  },
  {
    name: 'outcomes',
    at: ['outcomes', '[]'],
    intro: `What a reply means, for the client, the log and the cache alike. The rules are tried in order; the first whose
conditions all hold decides. A reply that fits no rule is a failure, so a list needs at least one rule that says \`ok\`.`,
    example: '{ on: get, status: 200, at: errorCode, equals: E17, is: not_found }',
  },
  {
    name: 'budget',
    at: ['budget'],
    intro: `What a scan may cost. If the source cannot answer a page itself, a scan reads all rows that the filters sent to
it leave. Beyond the budget the answer is 503 \`scan_limit_exceeded\`, never a part of the truth.`,
    example: '{ rows: 50000, calls: 500, time: 8s, snapshot: 60s }',
  },
  {
    name: 'resource',
    at: ['resources', '<resource>'],
    intro:
      'What the source says of one resource: `resources.users`, `resources.products`, or both. `get` is required where the contract has a single-record view (users) and forbidden where it has none (products).',
  },
  {
    name: 'request',
    at: ['resources', '<resource>', 'list', 'request'],
    intro:
      'A request as a template. What may stand in braces depends on the place: see [Variables](#variables).',
    example: '{ path: /items, query: { page: "{page}", size: "{limit}", active: 1 } }',
  },
  {
    name: 'list',
    at: ['resources', '<resource>', 'list'],
    intro: 'How a list of records is read.',
  },
  {
    name: 'window',
    at: ['resources', '<resource>', 'list', 'window'],
    intro: `How rows are asked for. \`offset\` and \`page\` can answer any page of v1 with a few calls; with the others, a list
is a scan whose rows are kept for \`budget.snapshot\`, or a walk from a remembered cursor (\`checkpoints\`).`,
    example: '{ kind: page, base: 1, sizes: [25, 50, 100], pastEnd: empty }',
  },
  {
    name: 'total',
    at: ['resources', '<resource>', 'list', 'total'],
    intro:
      'Where the exact number of matching rows stands: at a path, or in a header, of the list or of a request of its own.',
    example: '{ header: X-Total-Count }',
  },
  {
    name: 'sort',
    at: ['resources', '<resource>', 'list', 'sort'],
    intro: `What the source can sort by. Declare a column only where its order is the contract's: texts by code point, numbers
by value, instants by time, unknown values last in both directions, ties by ascending id.`,
    example: `query: { orderBy: '{column}', dir: '{direction}' }
columns: { name: { column: last_name, directions: [ascending] } }`,
  },
  {
    name: 'filter',
    at: ['resources', '<resource>', 'list', 'filters', '<field>', '<op>'],
    intro: `What the source can filter by: \`filters.<field>.<op>\`. For products \`category.eq\`, \`price.ge\` and \`price.le\`; users have
no filter. A filter sends its value in \`query\`, in \`expr\` or in \`item\`; \`in\` sends [several](sources.md#what-a-filter-sends).`,
    example: "{ expr: 'Price ge {value}', escape: number, exactness: exact }",
  },
  {
    name: 'hydrate',
    at: ['resources', '<resource>', 'list', 'hydrate'],
    intro: `Where to find the fields that the rows of a list lack: \`get\`, or a request of its own, made once for each row of a
page, and for every row of a scan that needs such a field. The outcome rules of a single record apply: \`on: get\`.`,
    example: `request: { path: '/items/{id}' }
item: item
map: { id: id, price: price, category: category }`,
  },
  {
    name: 'get',
    at: ['resources', '<resource>', 'get'],
    intro: 'How a single record is read.',
  },
  {
    name: 'map',
    at: ['resources', '<resource>', 'list', 'map'],
    intro: `Where each field of v1 comes from; nothing else leaves the gateway. A field takes a path (\`name: title\`), a path with steps,
or \`null\` if the source has no such value. A field that is not named is null, too, and \`portico check\` notes it; one that
the contract requires must have a path or a constant. See [Paths](#paths).`,
    example: `id: no
name: { from: [first, last], as: [{ join: ' ' }] }
created_at: { from: created, as: [{ date: { format: dd.MM.yyyy HH:mm, zone: Europe/Berlin } }] }
phone: null`,
  },
  {
    name: 'step',
    at: ['resources', '<resource>', 'list', 'map', '<field>', 'as', '[]'],
    intro: `One step from a legacy value to a value of v1; a field's steps run in order. \`null\` passes through every step. A value
that a step cannot read makes the field \`null\` and is counted in \`portico_unreadable_fields_total\`.`,
    example: "{ number: { decimal: ',', group: '.' } }",
  },
  {
    name: 'dialects',
    at: ['dialects', '[]'],
    intro: `For the examples that come with Portico; a gateway reads nothing of it. \`portico infer\` recognises services by
\`matches\`, and tries of them what the source of the file says: its paging, total, filters, and the keys below.`,
    example: `key: feathers
title: Feathers
resource: products
matches: [[{ at: reply, has: [total, limit, skip, data] }]]`,
  },
];
