import { escapeXml } from '../../kernel/escape-xml.ts';

/** By language: code that makes a request. `URL` is replaced by its address. */
const SAMPLES: Readonly<Record<string, string>> = {
  curl: `curl -H "Authorization: Bearer $KEY" \\
  "URL"`,
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

/**
 * Code that makes a request to an address below the root of the API, such as `v1/users`, in each language. One language is
 * open at a time. The script of the page puts the address of this gateway in, which the gateway does not know.
 */
export function codeSamples(what: string, address: string): string {
  const url = `<span data-address="${escapeXml(address)}">https://api.example/${escapeXml(address)}</span>`;
  return Object.entries(SAMPLES)
    .map(([language, code], index) => {
      const label = `${language}: ${escapeXml(what)}`;
      const text = escapeXml(code).replace('URL', () => url);
      return `<details name="${escapeXml(what)}"${index === 0 ? ' open' : ''}><summary>${language}</summary>
<pre class="sample" tabindex="0" role="group" aria-label="${label}"><code>${text}</code></pre></details>`;
    })
    .join('\n');
}
