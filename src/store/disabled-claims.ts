import type { Clock } from '../kernel/clock.ts';
import type { PurgeNotes, Purges } from './cache/purges.ts';
import { tryParseJson } from '../kernel/json/try-parse-json.ts';

/** What a resource is read by: its source, and the digest of what the source's file says. */
export type ClaimScope = { readonly source: string; readonly resource: string; readonly digest: string };

/** A claim of a source's file that replies have contradicted. */
export type DisabledClaim = ClaimScope & {
  readonly claim: string;
  /** When it was disabled, as an instant in UTC. */
  readonly at: string;
  /** What contradicted it: never a value. */
  readonly detail: string;
};

/** The disabled claims of one resource. They stay disabled until the file says something else, or an operator resets them. */
export type ResourceClaims = {
  readonly disabled: ReadonlySet<string>;
  /**
   * Disables a claim in every process: whatever was read of the resource so far is purged with it. False if it has
   * disabled before. `since`: when that became so, in milliseconds since the epoch; absent: now.
   */
  disable(claim: string, detail: string, since?: number): boolean;
  /** Learns of nothing any more. What has been disabled stays known, for a resource that is put to work by the same file. */
  close(): void;
};

/** Called when another process or an operator has changed what is known of a claim. */
export type OnClaimChange = (change: 'disabled' | 'reset', disabled: DisabledClaim) => void;

/** Some disabled claims; what is absent may be anything. */
export type ClaimSelection = {
  readonly source?: string | undefined;
  readonly resource?: string | undefined;
  readonly claim?: string | undefined;
};

/** The disabled claims of all sources. */
export type DisabledClaims = ReturnType<typeof createDisabledClaims>;

type Scope = { readonly disabled: Set<string>; onChange: OnClaimChange };

type KnownClaim = {
  readonly claim: DisabledClaim;
  readonly scope: Scope;
  /** The note that was there when it was disabled: an older reset. */
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

/** The contents of a note: a disabled claim, a reset, or `newer`: a newer Portico has written it in another format. */
type Note = DisabledClaim | 'reset' | 'newer';

/** The note in a text. One that is damaged counts as a reset: a claim that does not hold is disabled again. */
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

/** The disabled claims that this process does without, compared with the notes of the fleet. */
function createKnownClaims(purges: Purging, noteOf: (name: string) => string | undefined) {
  const known = new Map<string, KnownClaim>();

  /** Says whether Redis has it; if it has not, the next reading of the notes tries again. */
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

  function raise(name: string): void {
    const one = known.get(name);
    if (one === undefined) return;
    known.delete(name);
    one.scope.disabled.delete(one.claim.claim);
    one.scope.onChange('reset', one.claim);
  }

  /** A note that is gone was lost with Redis' memory: only a reset, which is a note too, raises a claim. */
  function compare(name: string, one: KnownClaim): void {
    const text = noteOf(name);
    if (one.isWriting) return;
    if (text === undefined || text === one.before) void publish(name, one);
    else if (noteIn(name, text) === 'reset') raise(name);
  }

  return {
    raise,
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
 * Creates the disabled claims. They are notes of purges: a process that learns of the purge has learned before what was disabled,
 * so nothing that it keeps from then on rests on it. Without Redis, they live as long as the process. A note of a newer
 * format is told to `onNewer` once, and says nothing of a claim.
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
  // The notes are read several times a second, and hardly ever change.
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
      // A resource may be put to work anew with the same file; what has been disabled is then still disabled.
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
          // Another one may have been put to work with it since.
          if (scope.onChange !== onChange) return;
          scope.onChange = () => undefined;
          if (scope.disabled.size === 0) scopes.delete(keyOf(place));
        },
      };
    },
    /** Those of all files and their versions that are still known, the oldest first. */
    list,
    /** Takes over what the processes on one Redis have noted. */
    apply,
    /** Believes claims again, in every process, and returns them. Rejects if Redis fails. */
    async reset(selection: ClaimSelection): Promise<readonly DisabledClaim[]> {
      const selected = list().filter(isSelected(selection));
      for (const one of selected) {
        const name = nameOf(one);
        await purges.purge(one.resource, { name, text: resetText(now()) });
        known.raise(name);
      }
      return selected;
    },
  };
}
