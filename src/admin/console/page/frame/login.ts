// The login of the console: somebody signs in with one of the tokens of the operator's listener.

import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiProblem, type AskApi, keepSessionSecret } from '../data/api.ts';
import type { ConsoleSession } from '../data/console-context.ts';
import { toApiProblem } from '../data/use-load.ts';
import { formValues } from '../parts/action-dialog.ts';
import { html } from '../parts/html.ts';
import { problemNote } from '../parts/marks.ts';

/** What the login needs. `ask` works without a session, because the guard does not protect the route that signs in. */
export type LoginProps = {
  readonly ask: AskApi;
  /** Whether a session has just ended. */
  readonly hasEnded: boolean;
  readonly onSession: (session: ConsoleSession) => void;
};

/** Explains an unknown token in words for people, because those of the gateway are for scripts. */
function inWords(problem: ApiProblem): ApiProblem {
  if (problem.status !== 401) return problem;
  const hint = 'Tokens are set in the configuration, as admin.token or admin.tokens.';
  return new ApiProblem(401, problem.code, 'no such token', hint);
}

/** Asks for a token of the operator's listener. The address of the page stays, so the same view is shown after it. */
export function Login({ ask, hasEnded, onSession }: LoginProps): VNode {
  const [problem, setProblem] = useState<ApiProblem>();
  const [isRunning, setRunning] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    document.title = 'Log in · Portico';
    field.current?.focus();
  }, []);
  const submit = (event: Event) => {
    event.preventDefault();
    const { token = '' } = formValues(event.target as HTMLFormElement);
    setRunning(true);
    ask<ConsoleSession & { secret: string }>('session', { method: 'POST', body: { token } }).then(
      ({ secret, ...session }) => {
        keepSessionSecret(secret);
        onSession(session);
      },
      (error: unknown) => {
        setRunning(false);
        setProblem(inWords(toApiProblem(error)));
      },
    );
  };
  return html`<main class="login" id="content">
    <form onSubmit=${submit} aria-labelledby="login-title">
      <p class="brand"><img src="icon.svg" alt="" width="32" height="32" /> Portico</p>
      <h1 id="login-title" tabindex="-1">Log in</h1>
      ${hasEnded && html`<p class="notice warn" role="status">Your session has ended. Log in to go on where you were.</p>`}
      <p class="field">
        <label for="token">Token</label>
        <input
          id="token"
          name="token"
          type="password"
          required
          autocomplete="current-password"
          ref=${field}
          aria-describedby="token-hint"
        />
        <small id="token-hint"
          >A token of the operator's listener. It becomes a session of this tab that ends after 12 hours; the
          token itself is not kept. Another tab asks for it again.</small
        >
      </p>
      ${problemNote(problem)}
      <p class="buttons">
        <button type="submit" class="primary" disabled=${isRunning}>
          ${isRunning ? 'Logging in…' : 'Log in'}
        </button>
      </p>
    </form>
  </main>`;
}
