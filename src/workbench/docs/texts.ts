/** Text of the reference (config/docs/reference.md): the notations that any key accepts. */
export const VALUES = `## Values

- A value may be \`\${NAME}\`, \`\${NAME:-default}\` or \`\${file:/run/secrets/name}\`, alone or within a text; an empty variable
  counts as unset, and one that is unset without a default is an error.
- A secret is shown as \`***\` wherever the configuration is shown.
- Numbers and \`true\` or \`false\` may come from a variable: their text counts.`;

/** Text of the reference: the variables in braces that a place accepts. A test compares them with the adapter. */
export const VARIABLES = `## Variables

A variable is written in braces and escaped for the place where it stands: percent-encoded in a path and a query, as
JSON or XML in a body, quoted in an expression. A part whose variable has no value is removed: the parameter, the header,
the key of a JSON body, the XML element around it.

| Place | Variables |
| --- | --- |
| \`list.request\`, window \`offset\` | \`{offset}\` number of the first row wanted, \`{limit}\` rows wanted, \`{lastRow}\` number of the last row wanted, \`{endRow}\` the one after it |
| \`list.request\`, window \`page\` | \`{page}\` number of the page, \`{limit}\` its size |
| \`list.request\`, window \`cursor\` | \`{limit}\`, \`{cursor}\` what the reply before named; absent in the first call |
| \`list.request\`, window \`keyset\` | \`{limit}\`, \`{after}\` the key of the last row before; absent in the first call |
| \`list.request\`, window \`link\` | \`{limit}\`; used for the first call only |
| \`list.request\`, any window | \`{filter}\` the conditions of \`expr\`, joined; \`{filters}\` the list of \`item\`s (JSON bodies); \`{sort}\`, \`{sorts}\` the same of the sort; the \`name\` of a filter, such as \`{minPrice}\`, its value |
| \`list.total.count\` | \`{filter}\`, \`{filters}\`, the \`name\` of a filter |
| \`get.request\`, \`list.hydrate.request\` | \`{id}\` the native id |
| \`list.filters.*.*\` | \`{value}\` the value, as the source writes it: the steps of the field inverted |
| \`list.sort\` | \`{column}\`, \`{direction}\`; \`{tiebreak}\`, what stands behind any column but the id |
| \`auth.value\` (session) | \`{session}\` the token of the login |`;

/** Text of the reference: the notation of a path into a document. */
export const PATHS = `## Paths

A path names a value inside a reply or a record.

| Written | Finds |
| --- | --- |
| \`reply.rows\` | the key \`rows\` of \`reply\` |
| \`"odd key".x\` | a key with other characters than letters, digits, \`_\`, \`-\`, \`@\` and \`$\` |
| \`emails[0]\`, \`emails[-1]\` | the first item, the last |
| \`emails[?type=="work"].value\` | the first item whose \`type\` is \`work\` |
| \`a.b \\| c\` | alternatives: the first that finds something other than \`null\` |
| (empty) | the document itself |
| \`$key\`, \`$value\` | in rows of \`form: map\`: the key of the row, and the value of one that is no map |

XML is read like this: an element with nothing but text is that text; others are maps by local name (no prefixes), with
attributes as \`@name\` and mixed text as \`#text\`. The path starts with the root element: \`Envelope.Body.Rows.Row\`. A CSV
document is the list of its rows, each a map by column name; NDJSON is the list of its lines.`;
