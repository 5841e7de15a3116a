/**
 * What the contract decides, row by row, in its own words. Every row has a test whose name quotes it; the names are
 * made by `decision`, so that a row without a test is found by `decisions.test.ts`.
 */
export const decisions = {
  Methods:
    '`GET` and `HEAD` on `/v1/users`, `/v1/users/{id}`, `/v1/products`. `OPTIONS` answers 204 with `Allow` (and CORS headers where CORS is configured). Anything else: 405 `method_not_allowed` with `Allow`.',
  '/docs':
    'with `docs: true` (the default) the API page, HTML, not part of v1; a pass-through route of that path wins. Below it, unknown paths are 404 as everywhere.',
  'Unknown path':
    '404 `not_found`, whether or not the caller has credentials. A trailing slash is the same resource; paths are case-sensitive.',
  'Order of the checks':
    'route → method → credentials (401) → rate limit (429) → permission (403) → parameters (400) → record (404). A failed credential also counts against a limit on the caller’s address, so keys cannot be guessed.',
  Integers:
    'decimal digits only, no sign, no exponent, no fraction. `page` is 1 to 1,000,000,000. Empty, repeated, non-numeric or out of range: 400 `invalid_parameter`.',
  '`limit` above 100':
    '400 `invalid_parameter` (default), or reduced to 100 with `meta.limit: 100` (`contract.limitOverflow: clamp`).',
  'A page past the end': '200 with `data: []`, the true `total`, and the page that was asked for.',
  sort: '`id`, `name`, `email`, `created_at`; ascending. A leading `-` means descending. Anything else: 400, and the message lists what is allowed.',
  'Sort order':
    'text by Unicode code point after NFC; ids of the form `<prefix>_<digits>` by their number; timestamps by instant; null last in both directions; ties by id, so the order is total and pages never overlap.',
  'No sort':
    'the order is still total and the same on every page: by id, unless the source’s configuration names a default order of its own.',
  'min_price, max_price':
    'plain decimals; both bounds inclusive; `min_price` > `max_price` is 400. Combined with each other and with `category` by AND. A product whose price is unknown matches no price bound.',
  category:
    'exact match on the label the API itself returns. Empty: 400. A category nobody has: 200 with an empty page. Control characters in it are never sent to a source.',
  'Repeated parameter': '400 `invalid_parameter`. `name[]` and `name[x]` are unknown names, not arrays.',
  'Unknown parameter': 'ignored: never forwarded upstream, never part of a cache key.',
  '`id` in the path':
    'percent-decoded once, 1 to 128 characters. An id that cannot belong to any record (wrong prefix, control characters) is 404 without an upstream call. Malformed percent-encoding is 400. Where a source folds what it is asked (another case, a trailing blank, an alias such as `me`) and the record that comes has another id, that is 404: the id asked for is nobody’s.',
  'Media type': '`application/json; charset=utf-8`, also for errors.',
  'meta.total':
    'exact: the number of records that match the filters, not the number on the page. Portico never invents a total.',
  'Missing or unreadable optional field':
    '`null`, never an absent key and never a guess; counted and reported to the operator. `profile` is always an object on the single view.',
  'Record without a usable id':
    'it cannot be addressed, so the page fails with 502 `upstream_invalid_response` (default), or the record is left out and counted (`onInvalidRecord: drop`).',
  id: '`user_` or `prod_` + the source’s own id: its digits where it has a number (no leading zeros), otherwise its own id, escaped reversibly so that it is one path segment',
  price: 'a JSON number, exact to the digits the source has (19.99 stays 19.99; 1999 cents is 19.99).',
  created_at: '`YYYY-MM-DDTHH:mm:ss[.sss]Z`.',
  'Caching headers':
    'strong `ETag` of the body in its coding, `If-None-Match` gives 304; `Cache-Control: private, max-age=<fresh seconds>`; `Vary` on the credential headers and `Accept-Encoding`; `Age`; `Cache-Status`. Errors are `no-store`.',
  'Rate limit headers':
    '`RateLimit-Policy` and `RateLimit` (IETF draft, structured fields) on every answer that passed a limiter, `Retry-After` on 429 and 503.',
  'Request id':
    'every answer carries `X-Request-Id: req_<token>`, the same id as in `error.request_id` and in the log. A caller’s own id and `traceparent` are logged beside it, never trusted as ours.',
  Credentials:
    'API keys in `Authorization: Bearer <key>` or `X-API-Key: <key>`; JWTs (RS256/ES256/EdDSA, verified against a JWKS) in `Authorization: Bearer`. Never in the query string. Two different credentials in one request: 401.',
  Permissions:
    '`users:read` for both user endpoints, `products:read` for products. A resource may be made public by configuration; then no credential is needed and the address limit applies.',
  Challenges:
    '401 carries `WWW-Authenticate: Bearer` with an RFC 6750 error; 403 names the missing permission.',
  'Error body':
    '`{"error": {"code", "message", "request_id"}}`, nothing else. The message is a fixed sentence for humans and may name the parameter; it never carries an upstream’s text, host, stack or secret.',
  'Error codes': 'status, `code`, when: the table of the section "Errors".',
  serverStatus:
    'The reference lists 500 as the only server error. `errors.serverStatus: contract` maps 502, 503 and 504 to 500 for clients that match literally; `code` stays.',
  'Credential refused upstream':
    'An upstream’s 401 or 403 is our credential’s fault, never the caller’s: 502.',
} as const;

/** The name of the tests of a row. */
export function decision(row: keyof typeof decisions): string {
  return `${row}: ${decisions[row]}`;
}
