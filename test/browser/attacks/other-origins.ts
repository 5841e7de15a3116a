import type { Page } from 'playwright-core';
import type { Scene } from '../harness/scene.ts';

/** A request that a page of another origin has a browser make, with the cookie of an operator if the browser sends it. */
export type Attack = {
  readonly name: string;
  /** A script for that page; it answers what it could read, or nothing. */
  readonly script: (admin: string) => string;
};

/** What an operator's session could be made to do. */
const TARGETS = [
  { path: '/api/cache/purge', body: '{"tag":"*"}' },
  { path: '/api/keys', body: '{"label":"attacker","permissions":["users:read"]}' },
  { path: '/api/config/reload', body: '{}' },
  { path: '/api/migrations/users/rollback', body: '{"reason":"attack"}' },
];

/** A form that is sent into a frame, as it needs no click. The whole body is the name of its one field. */
const form = (encoding: string, path: string, body: string) => (admin: string) =>
  `(() => {
    document.body.innerHTML = '<iframe name="sink"></iframe>';
    const form = Object.assign(document.createElement('form'), { method: 'POST', action: '${admin}${path}', enctype: '${encoding}', target: 'sink' });
    form.append(Object.assign(document.createElement('input'), { name: ${JSON.stringify(body)}, value: '' }));
    document.body.append(form);
    form.submit();
  })()`;

const fetched = (path: string, options: string) => (admin: string) =>
  `fetch('${admin}${path}', { credentials: 'include', ${options} }).then((answer) => answer.text()).catch(() => '')`;

const loaded = (tag: string, attribute: string, path: string) => (admin: string) =>
  `new Promise((resolve) => {
    const element = document.createElement('${tag}');
    element.onload = () => resolve(element.naturalWidth ? 'an image' : '');
    element.onerror = () => resolve('');
    element['${attribute}'] = '${admin}${path}';
    document.body.append(element);
    setTimeout(resolve, 1500, '');
  })`;

const ENCODINGS = ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'];

/** The attacks. Each is made from another site, and from another port of the same host. */
export const attacks: readonly Attack[] = [
  ...TARGETS.map(({ path, body }, index) => ({
    name: `a form posts ${ENCODINGS[index % ENCODINGS.length] ?? ''} to ${path}`,
    script: form(ENCODINGS[index % ENCODINGS.length] ?? '', path, body),
  })),
  ...TARGETS.map(({ path, body }) => ({
    name: `fetch posts text to ${path} without asking`,
    script: fetched(path, `method: 'POST', mode: 'no-cors', body: '${body}'`),
  })),
  ...TARGETS.slice(0, 3).map(({ path, body }) => ({
    name: `fetch posts JSON with the header of the console to ${path}`,
    script: fetched(
      path,
      `method: 'POST', headers: { 'Content-Type': 'application/json', 'X-Portico-Console': '1' }, body: '${body}'`,
    ),
  })),
  { name: 'fetch reads the overview', script: fetched('/api/overview', '') },
  { name: 'fetch reads the audit', script: fetched('/api/audit', '') },
  { name: 'fetch ends the session', script: fetched('/api/session', `method: 'DELETE'`) },
  { name: 'an image asks for a purge', script: loaded('img', 'src', '/api/cache/purge?tag=*') },
  { name: 'a script takes the overview for code', script: loaded('script', 'src', '/api/overview') },
  { name: 'a style takes the keys for rules', script: loaded('link', 'href', '/api/keys') },
  {
    name: 'the stream of events is listened to',
    script: (admin) =>
      `new Promise((resolve) => {
        const stream = new EventSource('${admin}/api/events', { withCredentials: true });
        stream.addEventListener('tick', ({ data }) => resolve(data));
        stream.onerror = () => resolve('');
        setTimeout(resolve, 3000, '');
      })`,
  },
];

/** Attacks of framing: each address is put into a frame of another page. */
export const framed = ['/console/', '/api/overview', '/'];

/** What the attacks must leave as it was: the lines of the audit that changed something, and the keys. */
export async function stateOf({ api }: Scene): Promise<string> {
  const { lines } = await api<{ lines: string[] }>('audit');
  const { keys } = await api<{ keys: { id: string }[] }>('keys');
  const done = lines.filter((line) => (JSON.parse(line) as { outcome?: string }).outcome === 'done');
  return JSON.stringify([done.length, keys.map(({ id }) => id)]);
}

/** Makes one attack from a page; what the page could read of the answer, and the statuses of what it asked. */
export async function attack(page: Page, from: string, admin: string, { script }: Attack) {
  await page.goto(from);
  const statuses: number[] = [];
  const ended = Promise.withResolvers<undefined>();
  const isTarget = (url: string) => url.startsWith(admin);
  const onResponse = (response: { url(): string; status(): number }) => {
    if (!isTarget(response.url())) return;
    statuses.push(response.status());
    ended.resolve(undefined);
  };
  const onFailed = (request: { url(): string }) => isTarget(request.url()) && ended.resolve(undefined);
  page.on('response', onResponse);
  page.on('requestfailed', onFailed);
  const read = await page.evaluate<unknown>(script(admin)).catch(() => '');
  await Promise.race([ended.promise, page.waitForTimeout(3_000)]);
  page.off('response', onResponse);
  page.off('requestfailed', onFailed);
  return { read: typeof read === 'string' ? read : '', statuses };
}
