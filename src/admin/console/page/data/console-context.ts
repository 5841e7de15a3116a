// What every view of the console can use: who is signed in, the latest overview, messages, and the API.

import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Address } from '../show/address.ts';
import type { AskApi } from './api.ts';
import type { StreamState } from './events.ts';
import type { Overview } from '../../../api/metric-specs.ts';
import type { SessionDetail } from '../../../api/session-openapi.ts';

/** Who is signed in. The answer to the request that signs in lacks `how` and `version`. */
export type ConsoleSession = Pick<SessionDetail, 'name' | 'role'> & Partial<SessionDetail>;

/** What every view can use. */
export type ConsoleContext = {
  readonly ask: AskApi;
  /** Absent until the first answer says who is signed in; nothing is shown before. */
  readonly session: ConsoleSession | undefined;
  /** Whether controls for changes are shown. The gateway refuses the changes of a viewer in any case. */
  readonly canWrite: boolean;
  readonly address: Address;
  /** The latest tick of the stream, or the first answer. */
  readonly overview: Overview | undefined;
  readonly stream: StreamState;
  /** Milliseconds since the epoch, by the second. */
  readonly now: number;
  /** Shows a message for a few seconds; a screen reader speaks it. */
  readonly announce: (message: string) => void;
};

/** Provides the context to the views; `ConsoleApp` always gives it a value. */
export const ConsoleContextProvider = createContext<ConsoleContext | undefined>(undefined);

/** The context, for a view or a part of one. @throws Error outside the app */
export function useConsole(): ConsoleContext {
  const context = useContext(ConsoleContextProvider);
  if (context === undefined) throw new Error('outside the console');
  return context;
}

/** Goes to an address. `replace` leaves no entry in the history of the browser, as for typing into a filter. */
export function goTo(address: string, replace = false): void {
  if (replace) window.location.replace(address);
  else window.location.hash = address;
}
