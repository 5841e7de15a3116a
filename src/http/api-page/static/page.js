// Completes the API page: the address of this gateway in the samples, buttons that copy them, and forms that send requests.
// What a reader types stays in the fields of the page.

const TOLD_FOR_MS = 2_000;
// Behind a proxy, the gateway may stand below a path: everything is found from the address of the page.
const root = new URL(document.documentElement.dataset.root, location.href).href.replace(/[?#].*$/, '');
const credential = document.getElementById('credential');
const shownHeaders = document.getElementById('reference').dataset.headers.split(' ');

/** Puts an address below the root into every sample of a part of the page. */
function showAddress(part, address) {
  for (const place of part.querySelectorAll('[data-address]'))
    place.textContent = root + (address ?? place.dataset.address);
}

function addCopyButton(sample) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    const told = await navigator.clipboard.writeText(sample.textContent).then(
      () => 'Copied',
      () => 'The browser refused',
    );
    button.textContent = told;
    setTimeout(() => (button.textContent = 'Copy'), TOLD_FOR_MS);
  });
  sample.after(button);
}

/** The address that a form asks, below the root; `undefined` while it lacks a part of the path. */
function addressOf(form) {
  const query = new URLSearchParams();
  let path = form.dataset.path;
  for (const { value, required, dataset } of form.querySelectorAll('[data-name]')) {
    if (required && value === '') return undefined;
    if (required) path = path.replace(`{${dataset.name}}`, encodeURIComponent(value));
    else if (value !== '') query.append(dataset.name, value);
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

/** A body of JSON with line breaks. Numbers keep their digits; a browser that cannot keep them shows the body as it came. */
function indented(text) {
  if (JSON.rawJSON === undefined) return text;
  const keepDigits = (_key, value, { source }) => (typeof value === 'number' ? JSON.rawJSON(source) : value);
  try {
    return JSON.stringify(JSON.parse(text, keepDigits), null, 2);
  } catch {
    return text;
  }
}

/** Sends the request of a form, and shows the answer. Nothing of either is kept by the browser. */
async function send(form, address) {
  const status = form.querySelector('[role=status]');
  const shown = form.querySelector('pre');
  const key = credential.value.trim();
  status.textContent = 'Waiting for the answer …';
  shown.hidden = true;
  const began = performance.now();
  try {
    const headers = key === '' ? {} : { Authorization: `Bearer ${key}` };
    const answer = await fetch(root + address, { headers, credentials: 'omit', cache: 'no-store' });
    const body = await answer.text();
    const lines = shownHeaders.flatMap((name) =>
      answer.headers.has(name) ? `${name}: ${answer.headers.get(name)}` : [],
    );
    status.textContent = `${answer.status} ${answer.statusText} after ${Math.round(performance.now() - began)} ms`;
    shown.textContent = `${lines.join('\n')}\n\n${indented(body)}`;
    shown.hidden = false;
  } catch (error) {
    status.textContent = `There is no answer: ${error.message}`;
  }
}

function startForm(form) {
  const operation = form.closest('.operation');
  const button = form.querySelector('button');
  form.addEventListener('input', () => showAddress(operation, addressOf(form)));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    // Not disabled, which would take the focus away.
    if (button.ariaDisabled === 'true') return;
    button.ariaDisabled = 'true';
    await send(form, addressOf(form));
    button.ariaDisabled = 'false';
  });
}

showAddress(document);
// A browser has no clipboard for a page that came without TLS from another machine.
if (navigator.clipboard) for (const sample of document.querySelectorAll('.sample')) addCopyButton(sample);
for (const form of document.querySelectorAll('form')) startForm(form);
for (const part of document.querySelectorAll('.try')) part.hidden = false;
