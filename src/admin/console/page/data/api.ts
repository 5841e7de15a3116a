// Asks the operator's API. Every address is relative to the page, so that it works under any path of a proxy.

/** The key of the tab's secret in its session storage. It has the path, because one origin may serve several gateways. */
const secretKey = () => `portico-session-secret ${new URL('../api/', window.location.href).pathname}`;

/** Keeps the secret of this tab's session until the tab is closed. Other tabs do not see it. The cookie alone is not enough. */
export function keepSessionSecret(secret: string): void {
  window.sessionStorage.setItem(secretKey(), secret);
}

/** Forgets the secret of this tab's session. */
export function forgetSessionSecret(): void {
  window.sessionStorage.removeItem(secretKey());
}

/** The header with the secret; none before somebody has signed in in this tab. */
export function sessionHeaders(): Readonly<Record<string, string>> {
  const secret = window.sessionStorage.getItem(secretKey());
  return secret === null ? {} : { 'X-Portico-Session-Secret': secret };
}

/** Why a request to the API failed, and what to do about it, in the words of the gateway. */
export class ApiProblem extends Error {
  readonly status: number;
  readonly hint: string;
  readonly code: string;

  constructor(status: number, code: string, reason: string, hint: string) {
    super(reason);
    this.name = 'ApiProblem';
    this.status = status;
    this.code = code;
    this.hint = hint;
  }
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** Asks for a path such as `overview`; with a body for changes. @throws ApiProblem */
export type AskApi = <Value>(
  path: string,
  options?: { readonly method?: Method; readonly body?: object; readonly signal?: AbortSignal },
) => Promise<Value>;

type ErrorBody = {
  readonly error?: { readonly code?: string; readonly reason?: string; readonly hint?: string };
};

async function bodyOf(answer: Response): Promise<unknown> {
  const text = await answer.text();
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiProblem(answer.status, 'failed', 'the answer is no JSON', 'a proxy may stand in between');
  }
}

function problemOf(status: number, body: unknown): ApiProblem {
  const { code, reason, hint } = (Object(body) as ErrorBody).error ?? {};
  return new ApiProblem(status, code ?? 'failed', reason ?? `the gateway answered ${status}`, hint ?? '');
}

/** Creates the function that asks the API. It calls `onUnauthenticated` if the session has ended. */
export function createAsk(onUnauthenticated: () => void): AskApi {
  return async function ask<Value>(path: string, options: Parameters<AskApi>[1] = {}): Promise<Value> {
    const { method = 'GET', body, signal } = options;
    const changes = { 'Content-Type': 'application/json', 'X-Portico-Console': '1' };
    const answer = await fetch(`../api/${path}`, {
      method,
      credentials: 'same-origin',
      headers: { Accept: 'application/json', ...sessionHeaders(), ...(method === 'GET' ? {} : changes) },
      ...(method === 'GET' ? {} : { body: JSON.stringify(body ?? {}) }),
      ...(signal && { signal }),
    }).catch((error: unknown) => {
      if (signal?.aborted === true) throw error;
      throw new ApiProblem(
        0,
        'unreachable',
        'the gateway cannot be reached',
        'is it running? Trying again helps',
      );
    });
    if (answer.status === 401) onUnauthenticated();
    const value = await bodyOf(answer);
    // A refused reload is an answer, too: it says what is wrong with the files.
    const isAnswer =
      answer.ok || (answer.status === 422 && Object(value) === value && !('error' in Object(value)));
    if (!isAnswer) throw problemOf(answer.status, value);
    return value as Value;
  };
}
