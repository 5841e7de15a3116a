import { hash, randomBytes } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import { type AdminToken, isSameToken } from './admin-tokens.ts';

/** Somebody who has signed in to the console with a token. */
export type Session = {
  readonly token: AdminToken;
  /** When it ends, as an instant in UTC. */
  readonly endsAt: string;
};

/** The sessions of the console. They live in this process, and end with it. */
export type Sessions = {
  /** Begins one, and returns its id: 256 random bits, of which only a digest is kept. */
  begin(token: AdminToken): { readonly id: string; readonly session: Session };
  /** The session of an id; `undefined` once it has ended, or its token is gone or has another role. */
  find(id: string): Session | undefined;
  end(id: string): void;
};

/** A session lasts 12 hours of the monotonic clock; `endsAt`, which people are shown, is by the wall clock. */
export type SessionsDeps = {
  /** The tokens at this moment: a reload that removes one ends its sessions. */
  readonly tokens: () => readonly AdminToken[];
  readonly clock: Clock;
};

const LIFE_MS = 12 * 60 * 60 * 1_000;
/** Of one token, so that a script that signs in again and again ends only sessions of its own token. */
const SESSIONS_MAX = 50;

type KeptSession = Session & { /** On the monotonic clock. */ readonly ends: number };

const keyOf = (id: string) => hash('sha256', id, 'base64url');

/** Creates the sessions of an operator's listener. */
export function createSessions({ tokens, clock }: SessionsDeps): Sessions {
  /** By the digests of their ids, the oldest first. */
  const sessions = new Map<string, KeptSession>();

  const isAlive = ({ token, ends }: KeptSession) =>
    clock.monotonic() < ends && tokens().some((known) => isSameToken(known, token));

  function makeRoom(token: AdminToken): void {
    for (const [key, session] of sessions) if (!isAlive(session)) sessions.delete(key);
    const own = [...sessions].filter(([, session]) => isSameToken(session.token, token));
    for (const [key] of own.slice(0, Math.max(0, own.length + 1 - SESSIONS_MAX))) sessions.delete(key);
  }

  return {
    begin(token) {
      makeRoom(token);
      const id = randomBytes(32).toString('base64url');
      const endsAt = new Date(clock.now() + LIFE_MS).toISOString();
      const session = { token, endsAt, ends: clock.monotonic() + LIFE_MS };
      sessions.set(keyOf(id), session);
      return { id, session };
    },
    find(id) {
      const key = keyOf(id);
      const session = sessions.get(key);
      if (session === undefined || isAlive(session)) return session;
      sessions.delete(key);
      return undefined;
    },
    end: (id) => void sessions.delete(keyOf(id)),
  };
}
