// Keeps the sessions of the console, so that a browser holds a cookie and a secret that end, and not the operator's token.

import { hash, randomBytes } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import { type AdminToken, isSameToken } from './admin-tokens.ts';

/** A session of the console: one tab in which somebody has signed in with a token. */
export type Session = {
  readonly token: AdminToken;
  /** When it ends, as an instant in UTC. */
  readonly endsAt: string;
  /** `false` if it has ended, or if its token was removed or has another role. */
  readonly isAlive: () => boolean;
};

/**
 * The sessions of the console. They live in this process, and end with it. Each has two secrets of 256 random bits, of
 * which only digests are kept: the id is the cookie, which all tabs of a browser share and which is also sent to other ports
 * of the host; the secret is known to one tab only.
 */
export type Sessions = ReturnType<typeof createSessions>;

/** What the sessions need. A session lasts 12 hours by the monotonic clock; `endsAt`, for the page, is by the wall clock. */
export type SessionsDeps = {
  /** The tokens at this moment: a reload that removes one ends its sessions. */
  readonly tokens: () => readonly AdminToken[];
  readonly clock: Clock;
};

const LIFE_MS = 12 * 60 * 60 * 1_000;
/** The most sessions of one token. A script that signs in again and again ends only sessions of its own token. */
const SESSIONS_MAX = 50;

type KeptSession = Session & { /** The digest of the id. */ idDigest: string };

const newSecret = () => randomBytes(32).toString('base64url');
const digestOf = (text: string) => hash('sha256', text, 'base64url');

/** Creates the sessions of an operator's listener. */
export function createSessions({ tokens, clock }: SessionsDeps) {
  /** By the digests of their secrets, the oldest first. */
  const sessions = new Map<string, KeptSession>();

  /** The sessions of a browser, each with its key. */
  const withId = (id: string) => [...sessions].filter(([, { idDigest }]) => idDigest === digestOf(id));

  function makeRoom(token: AdminToken): void {
    for (const [key, session] of sessions) if (!session.isAlive()) sessions.delete(key);
    const own = [...sessions].filter(([, session]) => isSameToken(session.token, token));
    for (const [key] of own.slice(0, Math.max(0, own.length + 1 - SESSIONS_MAX))) sessions.delete(key);
  }

  return {
    /** Begins a session. `before`, the id that the browser had, becomes invalid; its other tabs go on with the new id. */
    begin(token: AdminToken, before?: string) {
      makeRoom(token);
      const [id, secret] = [newSecret(), newSecret()];
      const [key, idDigest] = [digestOf(secret), digestOf(id)];
      for (const [, other] of before === undefined ? [] : withId(before)) other.idDigest = idDigest;
      const ends = clock.monotonic() + LIFE_MS;
      const session: KeptSession = {
        ...{ token, idDigest, endsAt: new Date(clock.now() + LIFE_MS).toISOString() },
        isAlive: () =>
          sessions.has(key) &&
          clock.monotonic() < ends &&
          tokens().some((known) => isSameToken(known, token)),
      };
      sessions.set(key, session);
      return { id, secret, session: session as Session };
    },
    /** Finds the session with this id and this secret; `undefined` if there is none or it has ended. */
    find(id: string, secret: string): Session | undefined {
      const session = sessions.get(digestOf(secret));
      return session?.idDigest === digestOf(id) && session.isAlive() ? session : undefined;
    },
    /** Ends the sessions of all tabs with this id. */
    end: (id: string): void => withId(id).forEach(([key]) => sessions.delete(key)),
  };
}
