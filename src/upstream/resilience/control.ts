/** What a source made of the control question. */
export type ControlVerdict = {
  /** Whether it gave a right answer. */
  readonly isWell: boolean;
  /** When it was asked, by the monotonic clock. */
  readonly askedMs: number;
};

/** Asks a host the control question; `undefined`: it could not be asked, so nothing is known. It never rejects. */
export type AskControl = (base: string) => Promise<boolean | undefined>;

/** The verdict about a host, asked for if the last one is too old. */
export type Control = (base: string) => Promise<ControlVerdict | undefined>;

/**
 * Creates the control: a question that no caller chose, asked when a source fails at what callers ask. If the source
 * answers it well, then not the source is at fault, but the questions. A verdict holds for `holdsMs`, so however much
 * fails, a host gets one control question in this time.
 */
export function createControl(ask: AskControl, holdsMs: number, monotonic: () => number): Control {
  const asked = new Map<
    string,
    { readonly askedMs: number; readonly isWell: Promise<boolean | undefined> }
  >();
  return async function control(base) {
    const last = asked.get(base);
    const isHeld = last !== undefined && monotonic() < last.askedMs + holdsMs;
    const question = isHeld ? last : { askedMs: monotonic(), isWell: ask(base) };
    asked.set(base, question);
    const isWell = await question.isWell;
    if (isWell !== undefined) return { isWell, askedMs: question.askedMs };
    if (asked.get(base) === question) asked.delete(base);
    return undefined;
  };
}
