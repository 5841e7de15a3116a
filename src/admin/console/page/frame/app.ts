// The console as a whole: it chooses the view by the address, and shows the login if nobody is signed in.

import { type ComponentType, h, type VNode } from 'preact';
import { useCallback, useEffect, useErrorBoundary, useMemo, useRef, useState } from 'preact/hooks';
import { type ApiProblem, type AskApi, createAsk, forgetSessionSecret } from '../data/api.ts';
import { followEvents, type StreamState } from '../data/events.ts';
import type { Overview } from '../../../api/metric-specs.ts';
import { type ConsoleContext, type ConsoleSession, ConsoleContextProvider } from '../data/console-context.ts';
import { toApiProblem } from '../data/use-load.ts';
import { element, html } from '../parts/html.ts';
import { problemNote } from '../parts/marks.ts';
import { runbookDialog } from '../parts/runbook-dialog.ts';
import { type Address, readAddress, type ViewName } from '../show/address.ts';
import { AuditView } from '../views/audit.ts';
import { CacheView } from '../views/cache.ts';
import { CallersView } from '../views/callers.ts';
import { ConfigView } from '../views/config.ts';
import { IncidentPage } from '../views/incident-page.ts';
import { MigrationView } from '../views/migration/migration.ts';
import { OverviewView } from '../views/overview.ts';
import { QualityView } from '../views/quality.ts';
import { RequestTraceView } from '../views/request-trace.ts';
import { RequestsView } from '../views/requests.ts';
import { SourceView } from '../views/source.ts';
import { TryView } from '../views/try-it.ts';
import { destinations } from './destinations.ts';
import { shortcutsDialog } from './shortcuts-dialog.ts';
import { Layout } from './layout.ts';
import { Login } from './login.ts';
import { useShortcuts } from './use-shortcuts.ts';

const views: Readonly<Record<ViewName, ComponentType>> = {
  overview: OverviewView,
  incident: IncidentPage,
  source: SourceView,
  requests: RequestsView,
  request: RequestTraceView,
  try: TryView,
  callers: CallersView,
  cache: CacheView,
  quality: QualityView,
  migration: MigrationView,
  config: ConfigView,
  audit: AuditView,
};

/** The titles of views that the navigation does not have. */
const detailTitles: Readonly<Partial<Record<ViewName, string>>> = {
  incident: 'Incident',
  request: 'Request',
};

/** The address of the page, and its changes. A new view gets the focus on its heading; the title names it. */
function useAddress(): Address {
  const [address, setAddress] = useState(() => readAddress(window.location.hash));
  const place = `${address.view}/${address.param}`;
  const first = useRef(true);
  useEffect(() => {
    const onChange = () => setAddress(readAddress(window.location.hash));
    window.addEventListener('hashchange', onChange);
    return () => window.removeEventListener('hashchange', onChange);
  }, []);
  useEffect(() => {
    const title = destinations.find(({ view }) => view === address.view)?.title ?? detailTitles[address.view];
    document.title = `${title}${address.param === '' ? '' : `: ${address.param}`} · Portico`;
    // At the first view, the focus stays where it is, so that Tab begins with the skip link.
    if (!first.current) document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
    if (!first.current) window.scrollTo(0, 0);
    first.current = false;
  }, [place]);
  return address;
}

/** The latest overview of the stream, and the time by the second. */
function useLive(ask: AskApi): Pick<ConsoleContext, 'overview' | 'stream' | 'now'> {
  const [overview, setOverview] = useState<Overview>();
  const [stream, setStream] = useState<StreamState>('connecting');
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    // The first answer comes with the first round; the stream goes on from there.
    void ask<Overview>('overview').then(setOverview, () => undefined);
    const timer = window.setInterval(() => !document.hidden && setNow(Date.now()), 1_000);
    const end = followEvents({
      onTick: (value) => setOverview(value as Overview),
      onState: setStream,
      onFailure: () => void ask('session').catch(() => undefined),
    });
    return () => {
      window.clearInterval(timer);
      end();
    };
  }, [ask]);
  return { overview, stream, now };
}

/** A view. If it cannot be drawn, a notice says so, and the rest of the page stays. */
function Guarded({ view }: { view: ViewName }): VNode {
  const [error] = useErrorBoundary() as [unknown, () => void];
  if (error === undefined) return h(views[view], {});
  return html`<div class="notice bad" role="alert">
    <p><strong>This view cannot be shown.</strong> The gateway may be of another version than this page.</p>
    <button type="button" onClick=${() => window.location.reload()}>Load the page again</button>
  </div>`;
}

type ConsoleProps = Pick<ConsoleContext, 'ask' | 'session'> & { readonly onLogout: () => void };

function Console({ ask, session, onLogout }: ConsoleProps): VNode {
  const address = useAddress();
  const live = useLive(ask);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [message, setMessage] = useState('');
  const openHelp = useCallback(() => setHelpOpen(true), []);
  useShortcuts(openHelp);
  useEffect(() => {
    const timer = message === '' ? undefined : window.setTimeout(() => setMessage(''), 4_000);
    return () => window.clearTimeout(timer);
  }, [message]);
  const context: ConsoleContext = {
    ask,
    session,
    address,
    ...live,
    canWrite: session?.role === 'operator' && session.how !== 'local',
    announce: setMessage,
  };
  const view = element(Guarded, { view: address.view, key: `${address.view}/${address.param}` });
  return html`<${ConsoleContextProvider.Provider} value=${context}>
    ${element(Layout, { onLogout, onHelp: openHelp, message, children: view })}
    ${runbookDialog(session && address.query['runbook'])}
    ${shortcutsDialog(isHelpOpen, () => setHelpOpen(false))}
  <//>`;
}

type Phase =
  | { readonly kind: 'asking'; readonly session?: undefined }
  | { readonly kind: 'failed'; readonly problem: ApiProblem }
  | { readonly kind: 'outside'; readonly hasEnded: boolean }
  | { readonly kind: 'inside'; readonly session: ConsoleSession };

/**
 * The console. The view asks for its data at the same time as the page asks for the session. If any of these is answered
 * 401, the login is shown instead, under the same address.
 */
export function ConsoleApp(): VNode {
  const [phase, setPhase] = useState<Phase>({ kind: 'asking' });
  const leave = useCallback(
    () =>
      setPhase((old) =>
        old.kind === 'inside' || old.kind === 'asking'
          ? { kind: 'outside', hasEnded: old.kind === 'inside' }
          : old,
      ),
    [],
  );
  const ask = useMemo(() => createAsk(leave), [leave]);
  const enter = useCallback((session: ConsoleSession) => setPhase({ kind: 'inside', session }), []);
  const start = useCallback(() => {
    ask<ConsoleSession>('session').then(enter, (error: unknown) => {
      const problem = toApiProblem(error);
      setPhase(problem.status === 401 ? { kind: 'outside', hasEnded: false } : { kind: 'failed', problem });
    });
  }, [ask, enter]);
  useEffect(start, [start]);
  const logout = () => {
    const out = () => {
      forgetSessionSecret();
      setPhase({ kind: 'outside', hasEnded: false });
    };
    ask('session', { method: 'DELETE' }).then(out, out);
  };
  switch (phase.kind) {
    case 'failed':
      return html`<main class="login">${problemNote(phase.problem, start)}</main>`;
    case 'outside':
      return element(Login, { ask, hasEnded: phase.hasEnded, onSession: enter });
    case 'asking':
    case 'inside':
      // Both draw the same element, so that a view that is already loading goes on.
      return element(Console, { ask, session: phase.session, onLogout: logout });
  }
}
