// Remembers which claims of source files replies have contradicted, so that no process of the fleet relies on them.

import type { Clock } from '../kernel/clock.ts';
import type { PurgeNotes, Purges } from './cache/purges.ts';
import { tryParseJson } from '../kernel/json/try-parse-json.ts';

/** The place of a claim: a resource, its source, and the digest of what the source's file says about the resource. */
export type ClaimScope = { readonly source: string; readonly resource: string; readonly digest: string };

/** A claim of a source's file that replies have contradicted. */
export type DisabledClaim = ClaimScope & {
  readonly claim: string;
  /** When the claim was disabled, as an instant in UTC. */
  readonly at: string;
  /** What contradicted the claim, without any value of a record. */
  readonly detail: string;
};

/** The disabled claims of one resource. They stay disabled until the source's file changes or an operator resets them. */
export type ResourceClaims = {
  readonly disabled: ReadonlySet<string>;
  /**
   * Disables a claim in every process, and purges all that was read of the resource so far. `detail` says what contradicted it.
   * False if it was disabled already, or this is closed. `since`: when it was disabled, in milliseconds since the epoch; absent: now.
   */
  disable(claim: string, detail: string, since?: number): boolean;
  /** After this nothing is disabled here, and changes are not told. Disabled claims stay known for a reload with the same file. */
  close(): void;
};

/** Called when another process has disabled a claim, or an operator has reset one. */
export type OnClaimChange = (change: 'disabled' | 'reset', disabled: DisabledClaim) => void;

/** Selects disabled claims by these properties; an absent property selects all. */
export type ClaimSelection = {
  readonly source?: string | undefined;
  readonly resource?: string | undefined;
  readonly claim?: string | undefined;
};

/** The disabled claims of all sources that this process knows. */
export type DisabledClaims = ReturnType<typeof createDisabledClaims>;

type Scope = { readonly disabled: Set<string>; onChange: OnClaimChange };

type KnownClaim = {
  readonly claim: DisabledClaim;
  readonly scope: Scope;
  /** The note in Redis before this claim was disabled (an older reset); it does not enable the claim. */
  readonly before: string | undefined;
  isWriting: boolean;
};

const keyOf = ({ source, resource, digest }: ClaimScope) => JSON.stringify([source, resource, digest]);

function nameOf({ source, resource, digest, claim }: ClaimScope & { readonly claim: string }): string {
  return JSON.stringify([source, resource, digest, claim]);
}

/** The format of a note. A note without a number is of format 1: the first versions of Portico wrote none. */
const VERSION = 1;

const disabledText = ({ at, detail }: DisabledClaim) => JSON.stringify({ version: VERSION, at, detail });
const resetText = (at: string) => JSON.stringify({ version: VERSION, reset: at });

/** The contents of a note: a disabled claim, a `reset`, or `newer` if a newer Portico wrote it in another format. */
type Note = DisabledClaim | 'reset' | 'newer';

/** Parses a note. A damaged note counts as a reset; if the claim still does not hold, replies disable it again. */
function noteIn(name: string, text: string): Note {
  const words = tryParseJson(name);
  const { version = VERSION, at, detail } = Object(tryParseJson(text)) as Record<string, unknown>;
  if (typeof version === 'number' && version > VERSION) return 'newer';
  if (!Array.isArray(words) || words.length !== 4 || !words.every((word) => typeof word === 'string'))
    return 'reset';
  const [source = '', resource = '', digest = '', claim = ''] = words;
  if (typeof at !== 'string' || typeof detail !== 'string') return 'reset';
  return { source, resource, digest, claim, at, detail };
}

const isSelected = ({ source, resource, claim }: ClaimSelection) => {
  return (one: DisabledClaim) =>
    (source ?? one.source) === one.source &&
    (resource ?? one.resource) === one.resource &&
    (claim ?? one.claim) === one.claim;
};

type Purging = Pick<Purges, 'purge' | 'forgetHere'>;

/** Creates the disabled claims on which this process does not rely, and compares them with the notes of the fleet. */
function createKnownClaims(purges: Purging, noteOf: (name: string) => string | undefined) {
  const known = new Map<string, KnownClaim>();

  /** Writes the note of a claim. False if Redis failed; then the next reading of the notes tries again. */
  async function publish(name: string, one: KnownClaim): Promise<boolean> {
    one.isWriting = true;
    const isKept = await purges.purge(one.claim.resource, { name, text: disabledText(one.claim) }).then(
      () => true,
      () => false,
    );
    one.isWriting = false;
    return isKept;
  }

  function keep(claim: DisabledClaim, scope: Scope, before?: string): readonly [string, KnownClaim] {
    const name = nameOf(claim);
    const one = { claim, scope, before, isWriting: false };
    known.set(name, one);
    scope.disabled.add(claim.claim);
    return [name, one];
  }

  function enable(name: string): void {
    const one = known.get(name);
    if (one === undefined) return;
    known.delete(name);
    one.scope.disabled.delete(one.claim.claim);
    one.scope.onChange('reset', one.claim);
  }

  /** If a note is gone, Redis has lost it, so it is written again: only a reset, which is a note too, enables a claim. */
  function compare(name: string, one: KnownClaim): void {
    const text = noteOf(name);
    if (one.isWriting) return;
    if (text === undefined || text === one.before) void publish(name, one);
    else if (noteIn(name, text) === 'reset') enable(name);
  }

  return {
    enable,
    list: () => [...known.values()].map(({ claim }) => claim),
    compareAll(): void {
      for (const [name, one] of known) compare(name, one);
    },
    learn(claim: DisabledClaim, scope: Scope): void {
      if (known.has(nameOf(claim))) return;
      keep(claim, scope);
      scope.onChange('disabled', claim);
    },
    disable(claim: DisabledClaim, scope: Scope): void {
      const [name, one] = keep(claim, scope, noteOf(nameOf(claim)));
      void publish(name, one).then((isKept) => {
        if (!isKept) purges.forgetHere();
      });
    },
  };
}

/**
 * Creates the disabled claims. They travel as notes of purges: a process reads the note before it acts on the purge, so what it
 * caches afterwards does not rely on a disabled claim. Without Redis, they live as long as the process. If a note has a newer
 * format, `onNewer` is called once with its name, and the note is ignored.
 */
export function createDisabledClaims(
  purges: Purging,
  clock: Pick<Clock, 'now'>,
  onNewer: (name: string) => void = () => undefined,
) {
  const scopes = new Map<string, Scope>();
  let notes: PurgeNotes = {};
  const known = createKnownClaims(purges, (name) => notes[name]);
  const now = (ms = clock.now()) => new Date(ms).toISOString();
  // The parsed notes, because they are read several times a second and hardly ever change.
  let read = new Map<string, { readonly text: string; readonly note: Note }>();
  const noted = () => [...read.values()].flatMap(({ note }) => (typeof note === 'string' ? [] : [note]));

  function readNote(name: string, text: string): Note {
    const note = noteIn(name, text);
    if (note === 'newer') onNewer(name);
    return note;
  }

  function apply(next: PurgeNotes): void {
    notes = next;
    read = new Map(
      Object.entries(next).map(([name, text]) => {
        const before = read.get(name);
        return [name, before?.text === text ? before : { text, note: readNote(name, text) }];
      }),
    );
    known.compareAll();
    for (const claim of noted()) {
      const scope = scopes.get(keyOf(claim));
      if (scope !== undefined) known.learn(claim, scope);
    }
  }

  function list(): readonly DisabledClaim[] {
    const all = new Map([...noted(), ...known.list()].map((claim) => [nameOf(claim), claim]));
    return [...all.values()].sort((a, b) => (a.at < b.at ? -1 : 1));
  }

  return {
    of(place: ClaimScope, onChange: OnClaimChange): ResourceClaims {
      // After a reload with the same file, what was disabled is still disabled.
      const scope: Scope = scopes.get(keyOf(place)) ?? { disabled: new Set(), onChange };
      scope.onChange = onChange;
      scopes.set(keyOf(place), scope);
      apply(notes);
      let isClosed = false;
      return {
        disabled: scope.disabled,
        disable(claim, detail, since) {
          if (isClosed || scope.disabled.has(claim)) return false;
          known.disable({ ...place, claim, at: now(since), detail }, scope);
          return true;
        },
        close() {
          isClosed = true;
          // A reload may have opened the same scope again.
          if (scope.onChange !== onChange) return;
          scope.onChange = () => undefined;
          if (scope.disabled.size === 0) scopes.delete(keyOf(place));
        },
      };
    },
    /** All disabled claims that are known, also of other versions of the files, the oldest first. */
    list,
    /** Applies the notes that the processes on one Redis have written. */
    apply,
    /** Enables the selected claims again in every process, and returns them. Rejects if Redis fails. */
    async reset(selection: ClaimSelection): Promise<readonly DisabledClaim[]> {
      const selected = list().filter(isSelected(selection));
      for (const one of selected) {
        const name = nameOf(one);
        await purges.purge(one.resource, { name, text: resetText(now()) });
        known.enable(name);
      }
      return selected;
    },
  };
}
