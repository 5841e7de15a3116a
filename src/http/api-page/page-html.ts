// Renders the HTML of the API page from the contract.

import { PAGE_MAX } from '../../contract/parse-query.ts';
import type { Contract, Resource } from '../../contract/resource.ts';
import { catalogue, errorCodes } from '../../kernel/errors/catalogue.ts';
import { API_PAGE_PATH } from '../../config/schema/gateway.ts';

/** The parts of a contract and its pass-through routes that the API page shows. */
export type ApiPageContract = Pick<Contract, 'title' | 'version'> & {
  readonly resources: readonly Pick<Resource, 'name' | 'permission' | 'pages' | 'hasList' | 'idStart'>[];
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
  readonly contract: ApiPageContract;
  /** The hash of each file that the page loads, by its name. */
  readonly hashes: ReadonlyMap<string, string>;
};

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes a text as HTML. Words between backticks become code. */
function html(text: string): string {
  const safe = text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? '');
  return safe.replaceAll(/`([^`]*)`/g, '<code>$1</code>');
}

function errorRows(): string {
  const rows = errorCodes.map((code) => {
    const { status, sentence, retryable } = catalogue[code];
    const again = retryable ? 'yes, later' : 'no';
    return `<tr><th scope="row"><code>${code}</code></th><td>${status}</td><td>${html(sentence)}</td><td>${again}</td></tr>`;
  });
  return rows.join('\n');
}

function limitRows({ resources }: ApiPageContract): string {
  const listed = resources.filter(({ hasList }) => hasList);
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
  return rows
    .map(([what = '', rule = '']) => `<tr><th scope="row">${html(what)}</th><td>${html(rule)}</td></tr>`)
    .join('\n');
}

function permissionItems({ resources }: ApiPageContract): string {
  return resources
    .map(({ name, permission }) => `<li>${html(`\`${permission}\` reads ${name}.`)}</li>`)
    .join('\n');
}

/** By language: code that makes a request. `URL` is replaced by its address. */
const SAMPLES: Readonly<Record<string, string>> = {
  curl: 'curl -H "Authorization: Bearer $KEY" "URL"',
  JavaScript: `const answer = await fetch("URL", {
  headers: { Authorization: "Bearer " + process.env.KEY },
});
const body = await answer.json();
if (!answer.ok) throw new Error(body.error.code);`,
  Python: `import json, os, urllib.request

headers = {"Authorization": "Bearer " + os.environ["KEY"]}
request = urllib.request.Request("URL", headers=headers)
with urllib.request.urlopen(request) as answer:
    body = json.load(answer)`,
};

/** The example request in each language. */
function samples(address: string): string {
  const url = `<span data-base>https://api.example</span>/${address}`;
  return Object.entries(SAMPLES)
    .map(
      ([language, code]) =>
        `<h3>${language}</h3>\n<pre tabindex="0" aria-label="An example request in ${language}"><code>${html(code).replace('URL', url)}</code></pre>`,
    )
    .join('\n');
}

function routesPart({ routes }: ApiPageContract): string {
  if (routes.length === 0) return '';
  const rows = routes.map(
    ({ path, methods, permission }) =>
      `<tr><th scope="row"><code>${path}</code></th><td>${methods.join(', ')}</td><td>${permission === null ? 'none' : html(`\`${permission}\``)}</td></tr>`,
  );
  return `<section id="routes" aria-labelledby="routes-title">
<h2 id="routes-title">Routes beside the contract</h2>
<p>Requests below these paths go on to another service as they are. Its answers are not part of the reference.</p>
<div class="wide" tabindex="0" role="group" aria-label="Routes, a table"><table>
<thead><tr><th scope="col">Path</th><th scope="col">Methods</th><th scope="col">Permission</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table></div>
</section>`;
}

const SWAGGER_MISSING =
  '<p class="missing" role="status">The reference is not installed on this gateway. Its operator finds the reason in the output of <code>portico check</code>. The OpenAPI document above has everything that the reference would show.</p>';

/** Renders the API page as HTML. It has no inline script or style, because its content security policy forbids both. */
export function pageHtml({ root, hashes, contract }: PageSpec): string {
  const at = (name: string) => `${root}${API_PAGE_PATH.slice(1)}/${name}?v=${hashes.get(name) ?? ''}`;
  const style = (name: string) => `<link rel="stylesheet" href="${at(name)}">`;
  const hasReference = hashes.has('page.js');
  const { title, resources } = contract;
  const version = `${contract.version.slice(1)}.0.0`;
  const [first] = resources;
  const example = first && (first.hasList ? `${first.name}?limit=3` : `${first.name}/${first.idStart}…`);
  return `<!doctype html>
<html lang="en" data-root="${root}">
<head>
<meta charset="utf-8">
<title>${html(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
${hasReference ? style('swagger-ui.css') : ''}
${style('page.css')}
${hasReference ? `<script defer src="${at('swagger-ui-bundle.js')}"></script>\n<script type="module" src="${at('page.js')}"></script>` : ''}
</head>
<body>
<a class="skip" href="#reference">Skip to the reference</a>
<header>
<h1>${html(title)} <small>${html(version)}</small></h1>
<nav aria-label="Sections"><a href="#start">Start</a> <a href="#limits">Limits</a> <a href="#errors">Errors</a> <a href="#reference">Reference</a> <a href="${root}${contract.version}/openapi.json">OpenAPI document</a></nav>
</header>
<div class="sections">
<section id="start" aria-labelledby="start-title">
<h2 id="start-title">Start</h2>
<p>Send your key or token in <code>Authorization: Bearer …</code>, or your key in <code>X-API-Key</code>. Send one of the two, and never put it into the address.</p>
${samples(`${contract.version}/${example ?? ''}`)}
<p>Every answer has an <code>X-Request-Id</code>. Name it when you ask for help. A permission lets a credential read a resource:</p>
<ul>
${permissionItems(contract)}
</ul>
</section>
${routesPart(contract)}
<section id="limits" aria-labelledby="limits-title">
<h2 id="limits-title">Limits</h2>
<div class="wide" tabindex="0" role="group" aria-label="Limits, a table"><table>
<thead><tr><th scope="col">What</th><th scope="col">Rule</th></tr></thead>
<tbody>
${limitRows(contract)}
</tbody>
</table></div>
</section>
<section id="errors" aria-labelledby="errors-title">
<h2 id="errors-title">Errors</h2>
<p>The body of an error is <code>{"error": {"code", "message", "request_id"}}</code>. Go by the code: a gateway may be set to answer 500 in place of 502, 503 and 504.</p>
<div class="wide" tabindex="0" role="group" aria-label="Errors, a table"><table>
<thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">Meaning</th><th scope="col">Try again?</th></tr></thead>
<tbody>
${errorRows()}
</tbody>
</table></div>
</section>
<section aria-labelledby="reference-title">
<h2 id="reference-title">Reference</h2>
${hasReference ? '<p>“Authorize” takes your own key for trying requests out. It stays in the memory of this page: reload or leave the page, and it is gone.</p>' : SWAGGER_MISSING}
<noscript><p>The reference needs JavaScript. The OpenAPI document above has the same.</p></noscript>
</section>
<div id="reference"></div>
</div>
</body>
</html>
`;
}
