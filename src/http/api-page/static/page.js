// Starts Swagger UI on the contract that this gateway serves. What a reader types stays in the memory of the page.
/* global SwaggerUIBundle */
const { documentElement: page } = document;
// Behind a proxy, the gateway may stand below a path: everything is found from the address of the page.
const root = new URL(page.dataset.root, location.href).href.replace(/[?#].*$/, '');
const base = root.replace(/\/$/, '');
const dark = matchMedia('(prefers-color-scheme: dark)');
const place = document.getElementById('reference');

function followColours() {
  page.classList.toggle('dark-mode', dark.matches);
}
followColours();
/** What Swagger UI leaves out for those who use a keyboard or do not see the page: names, and places to scroll from. */
function addWhatIsMissing() {
  for (const choice of place.querySelectorAll('select:not([aria-label])'))
    choice.setAttribute('aria-label', choice.className.includes('content-type') ? 'Media type' : 'Value');
  for (const text of place.querySelectorAll('pre.microlight:not([tabindex])')) text.tabIndex = 0;
  const dialog = place.querySelector('.modal-ux:not([role])');
  dialog?.setAttribute('role', 'dialog');
  dialog?.setAttribute('aria-label', 'Authorize');
  place.querySelector('.close-modal')?.setAttribute('aria-label', 'Close');
  for (const button of place.querySelectorAll('.auth-btn-wrapper [aria-label]'))
    button.removeAttribute('aria-label');
}
new MutationObserver(addWhatIsMissing).observe(place, { childList: true, subtree: true });
dark.addEventListener('change', followColours);
for (const example of document.querySelectorAll('[data-base]')) example.textContent = base;

try {
  const answer = await fetch(`${root}v1/openapi.json`);
  if (!answer.ok) throw new Error(`the gateway answered ${answer.status}`);
  const contract = await answer.json();
  SwaggerUIBundle({
    spec: { ...contract, servers: [{ url: base }] },
    domNode: place,
    layout: 'BaseLayout',
    presets: [SwaggerUIBundle.presets.apis],
    deepLinking: false,
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    persistAuthorization: false,
    queryConfigEnabled: false,
    syntaxHighlight: false,
    validatorUrl: null,
  });
} catch (error) {
  place.textContent = `The reference cannot be shown: ${error.message}. Reload the page to try again.`;
}
