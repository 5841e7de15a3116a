// The secret of this tab's session. The cookie, which the browser sends to other ports of the host, too, is not enough.

/** Names the gateway, because a proxy may serve several below paths of one origin. */
const key = () => `portico-session-secret ${new URL('../api/', window.location.href).pathname}`;

/** Keeps the secret for as long as the tab is open, also when it is loaded again. Another tab does not see it. */
export function keepSessionSecret(secret: string): void {
  window.sessionStorage.setItem(key(), secret);
}

/** Forgets it. */
export function forgetSessionSecret(): void {
  window.sessionStorage.removeItem(key());
}

/** What every request carries: nothing before somebody has signed in in this tab. */
export function sessionHeaders(): Readonly<Record<string, string>> {
  const secret = window.sessionStorage.getItem(key());
  return secret === null ? {} : { 'X-Portico-Session-Secret': secret };
}
