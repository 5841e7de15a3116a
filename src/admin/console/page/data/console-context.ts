// Who looks at the console, and what every view is given.

import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Address } from '../show/address.ts';
import type { AskApi } from './api.ts';
import type { StreamState } from './events.ts';
import type { Overview } from '../../../api/figure-specs.ts';

/** Who is logged in. */
export type ConsoleSession = {
  readonly name: string;
  readonly role: 'viewer' | 'operator';
  readonly endsAt?: string | null;
  /** `local`: no token is configured, so that programs on this machine may read. */
  readonly how?: 'cookie' | 'token' | 'local';
  readonly version?: string;
};

/** What every view can use. */
export type ConsoleContext = {
  readonly ask: AskApi;
  /** Absent in the first round of requests, which asks who looks: nothing is shown before that is known. */
  readonly session: ConsoleSession | undefined;
  /** Whether write controls are shown. The gateway refuses a viewer's change whatever is shown. */
  readonly canWrite: boolean;
  readonly address: Address;
  /** The latest tick of the stream, or the first answer. */
  readonly overview: Overview | undefined;
  readonly stream: StreamState;
  /** Milliseconds since the epoch, by the second. */
  readonly now: number;
  /** Says something in a line that goes away by itself, and to a screen reader. */
  readonly announce: (message: string) => void;
};

/** The context of the views; it is always provided. */
export const ConsoleContextProvider = createContext<ConsoleContext | undefined>(undefined);

/** The context. @throws Error outside the app */
export function useConsole(): ConsoleContext {
  const context = useContext(ConsoleContextProvider);
  if (context === undefined) throw new Error('outside the console');
  return context;
}

/** Goes to an address; `replace` leaves no entry in the history, as for typing into a filter. */
export function goTo(address: string, replace = false): void {
  if (replace) window.location.replace(address);
  else window.location.hash = address;
}
