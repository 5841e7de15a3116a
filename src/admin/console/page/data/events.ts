// The one stream of events of this tab: closed while the tab is hidden, opened again with back-off.

import { backOffMs } from './backoff.ts';

/** What the stream is doing: `draining` means that the gateway has said it ends. */
export type StreamState = 'connecting' | 'live' | 'paused' | 'reconnecting' | 'draining';

/** `onState` may be called before `followEvents` returns. Nothing is called once the stream was closed. */
export type StreamHandlers = {
  /** A tick with its JSON. */
  readonly onTick: (value: unknown) => void;
  readonly onState: (state: StreamState) => void;
  /** The stream failed: the session may have ended, so somebody should look. */
  readonly onFailure: () => void;
};

/** Opens the stream; the function that is returned closes it. */
export function followEvents({ onTick, onState, onFailure }: StreamHandlers): () => void {
  let source: EventSource | undefined;
  let timer: number | undefined;
  let attempt = 0;
  let isDraining = false;

  function close() {
    window.clearTimeout(timer);
    source?.close();
    source = undefined;
  }

  function retry() {
    close();
    onState(isDraining ? 'draining' : 'reconnecting');
    timer = window.setTimeout(open, backOffMs(attempt, Math.random()));
    attempt += 1;
  }

  function open() {
    close();
    if (document.hidden) {
      onState('paused');
      return;
    }
    source = new EventSource('../api/events');
    source.addEventListener('tick', (event: MessageEvent<string>) => {
      attempt = 0;
      isDraining = false;
      onState('live');
      onTick(JSON.parse(event.data));
    });
    source.addEventListener('bye', () => {
      isDraining = true;
      retry();
    });
    source.addEventListener('error', () => {
      onFailure();
      retry();
    });
  }

  document.addEventListener('visibilitychange', open);
  open();
  return () => {
    document.removeEventListener('visibilitychange', open);
    close();
  };
}
