// Follows the events that the operator's listener sends to this tab. The stream is closed while the tab is hidden, and
// opened again with back-off if it fails.

import { backOffMs } from './backoff.ts';
import { sessionHeaders } from './api.ts';

/** The state of the stream; `draining`: the gateway has announced its end. */
export type StreamState = 'connecting' | 'live' | 'paused' | 'reconnecting' | 'draining';

/** The callbacks of an event stream. `onState` may be called before `followEvents` returns. None is called after the stream is closed. */
export type StreamHandlers = {
  /** Gets the JSON of a tick: the overview, every two seconds. */
  readonly onTick: (value: unknown) => void;
  readonly onState: (state: StreamState) => void;
  /** The stream failed. The caller should check whether the session has ended. */
  readonly onFailure: () => void;
};

/** Reads one stream to its end. `EventSource` cannot send a header, so this reads the two lines of each event itself. */
async function readEvents(signal: AbortSignal, onEvent: (name: string, data: string) => void): Promise<void> {
  const headers = { Accept: 'text/event-stream', ...sessionHeaders() };
  const { ok, body } = await fetch('../api/events', { credentials: 'same-origin', headers, signal });
  if (!ok || body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const events = (text + value).split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const [, name = '', data = ''] = /^event: (.*)\ndata: (.*)$/.exec(event) ?? [];
      onEvent(name, data);
    }
  }
}

/** Opens the stream; the function that is returned closes it. */
export function followEvents({ onTick, onState, onFailure }: StreamHandlers): () => void {
  let reading: AbortController | undefined;
  let timer: number | undefined;
  let attempt = 0;
  let isDraining = false;

  function close() {
    window.clearTimeout(timer);
    reading?.abort();
    reading = undefined;
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
    const controller = new AbortController();
    reading = controller;
    const isOver = () => reading !== controller;
    function onEvent(name: string, data: string) {
      if (isOver()) return;
      if (name === 'bye') {
        isDraining = true;
        retry();
      }
      if (name !== 'tick') return;
      attempt = 0;
      isDraining = false;
      onState('live');
      onTick(JSON.parse(data));
    }
    function onEnd() {
      if (isOver()) return;
      onFailure();
      retry();
    }
    readEvents(controller.signal, onEvent).then(onEnd, onEnd);
  }

  document.addEventListener('visibilitychange', open);
  open();
  return () => {
    document.removeEventListener('visibilitychange', open);
    close();
  };
}
