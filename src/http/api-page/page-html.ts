// Renders the HTML of the API page from the contract.

import { PAGE_MAX } from '../../contract/parse-query.ts';
import type { Contract } from '../../contract/resource.ts';
import { catalogue, errorCodes } from '../../kernel/errors/catalogue.ts';
import { API_PAGE_PATH } from '../../config/schema/gateway.ts';
import { escapeXml } from '../../kernel/escape-xml.ts';
import { proseHtml, table } from './html.ts';
import { exampleAddress, operationLinks, referencePart } from './reference.ts';
import { codeSamples } from './code-samples.ts';

/** What the API page shows: a contract and the pass-through routes beside it. */
export type ApiPageContent = {
  readonly contract: Contract;
  /** The pass-through routes; `permission` is `null` if everybody may call the route. */
  readonly routes: readonly {
    readonly path: string;
    readonly methods: readonly string[];
    readonly permission: string | null;
  }[];
};

/** The data that the HTML of the page is made from. */
export type PageSpec = {
  /** The relative path from the page to the root of the API: `./`, or `../` if the page's URL ends with a slash. */
  readonly root: './' | '../';
  readonly content: ApiPageContent;
  /** The hash of each file that the page loads, by its name. */
  readonly hashes: ReadonlyMap<string, string>;
};

function errorRows(): readonly (readonly string[])[] {
  return errorCodes.map((code) => {
    const { status, sentence, retryable } = catalogue[code];
    return [`<code>${code}</code>`, String(status), proseHtml(sentence), retryable ? 'yes, later' : 'no'];
  });
}

function limitRows({ resources }: Contract): readonly (readonly string[])[] {
  const listed = [...resources.values()].filter(({ hasList }) => hasList);
  const sizes = new Set(listed.map(({ pages }) => `1 to ${pages.max}, ${pages.default} where you name none`));
  const ofLists = [
    ['Records on a page', `\`limit\` is ${[...sizes].join(', or, of another list, ')}.`],
    ['Pages', `\`page\` is 1 to ${PAGE_MAX}. A page past the end is 200 with no records and the true total.`],
  ];
  const rows = [
    [
      'Requests',
      'Every answer tells your windows in `RateLimit-Policy` and what is left of them in `RateLimit`.',
    ],
    ['Beyond a window', '429 `rate_limit_exceeded`. Wait for the seconds that `Retry-After` says.'],
    ...(listed.length > 0 ? ofLists : []),
    ['Wrong credentials', 'An address that tries many of them gets 429 before its credential is looked at.'],
  ];
  return rows.map((row) => row.map(proseHtml));
}

function permissionItems({ resources }: Contract): string {
  return Array.from(
    resources.values(),
    ({ name, permission }) => `<li>${proseHtml(`\`${permission}\` reads ${name}.`)}</li>`,
  ).join('\n');
}

function routesPart(routes: ApiPageContent['routes']): string {
  if (routes.length === 0) return '';
  const rows = routes.map(({ path, methods, permission }) => [
    `<code>${escapeXml(path)}</code>`,
    methods.join(', '),
    permission === null ? 'none' : proseHtml(`\`${permission}\``),
  ]);
  return `<section id="routes" aria-labelledby="routes-title">
<h2 id="routes-title">Routes beside the contract</h2>
<p>Requests below these paths go on to another service as they are. Its answers are not part of the reference.</p>
${table('Routes', ['Path', 'Methods', 'Permission'], rows)}
</section>`;
}

/** The table of contents at the side. */
function contentsPart({ contract, routes }: ApiPageContent): string {
  const parts = { start: 'Start', ...(routes.length > 0 && { routes: 'Routes' }), limits: 'Limits' };
  const links = Object.entries({ ...parts, errors: 'Errors', reference: 'Reference' }).map(
    ([anchor, title]) => `<li><a href="#${anchor}">${title}</a></li>`,
  );
  return `<nav aria-label="Contents"><ul>
${links.join('\n')}
${operationLinks(contract)}
</ul></nav>`;
}

/** Renders the API page as HTML. It has no inline script or style, because its content security policy forbids both. */
export function pageHtml({ root, hashes, content }: PageSpec): string {
  const at = (name: string) => `${root}${API_PAGE_PATH.slice(1)}/${name}?v=${hashes.get(name) ?? ''}`;
  const { contract, routes } = content;
  const { title, version, operations } = contract;
  const [first] = operations;
  return `<!doctype html>
<html lang="en" data-root="${root}">
<head>
<meta charset="utf-8">
<title>${escapeXml(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${at('page.css')}">
<script type="module" src="${at('page.js')}"></script>
</head>
<body>
<a class="skip" href="#reference">Skip to the reference</a>
<header>
<h1>${proseHtml(title)} <small>${version.slice(1)}.0.0</small></h1>
<p><a href="${root}${version}/openapi.json">OpenAPI document</a></p>
</header>
${contentsPart(content)}
<main>
<section id="start" aria-labelledby="start-title">
<h2 id="start-title">Start</h2>
<p>Send your key or token in <code>Authorization: Bearer …</code>, or your key in <code>X-API-Key</code>. Send one of the two, and never put it into the address.</p>
${first === undefined ? '' : codeSamples('An example request', exampleAddress(first))}
<p>Every answer has an <code>X-Request-Id</code>. Name it when you ask for help. A permission lets a credential read a resource:</p>
<ul>
${permissionItems(contract)}
</ul>
</section>
${routesPart(routes)}
<section id="limits" aria-labelledby="limits-title">
<h2 id="limits-title">Limits</h2>
${table('Limits', ['What', 'Rule'], limitRows(contract))}
</section>
<section id="errors" aria-labelledby="errors-title">
<h2 id="errors-title">Errors</h2>
<p>The body of an error is <code>{"error": {"code", "message", "request_id"}}</code>. Go by the code: a gateway may be set to answer 500 in place of 502, 503 and 504.</p>
${table('Errors', ['Code', 'Status', 'Meaning', 'Try again'], errorRows())}
</section>
${referencePart(contract)}
</main>
</body>
</html>
`;
}
