// The notes that `infer` writes into a draft, and the error if there is no draft.

/** The confidence in a guess. `edit` needs the operator. */
export type Confidence = 'sure' | 'likely' | 'edit';

/**
 * A guess, or an open question, in one plain sentence. It may name keys of the service, and the codes of an enum or a flag; no
 * other value of a record.
 */
export type Remark = {
  readonly level: Confidence;
  readonly text: string;
  /** Present if the remark is about the steps of a field, which are the same in both views. */
  readonly isOfSteps?: true;
};

/** A remark on one place of a draft. */
export type DraftNote = Remark & {
  /** The keys from the top of the source file. */
  readonly at: readonly PropertyKey[];
};

const remarkOf =
  (level: Confidence) =>
  (text: string): Remark => ({ level, text });

/** A remark on what the replies showed. */
export const sure = remarkOf('sure');
/** A remark on a guess that the replies agree with. */
export const likely = remarkOf('likely');
/** A remark on what the operator has to edit. */
export const toEdit = remarkOf('edit');

/** Puts remarks at a place. A remark may be absent. */
export function notesAt(
  at: DraftNote['at'],
  ...remarks: readonly (Remark | false | undefined)[]
): readonly DraftNote[] {
  return remarks.flatMap((remark) => (remark === false || remark === undefined ? [] : [{ at, ...remark }]));
}

/** The reason why no draft was possible. The message is for the operator and holds no value of a record. */
export class InferError extends Error {
  /** How the operator can go on. */
  readonly hint: string | undefined;
  /** Whether the service did not answer. */
  readonly isUnavailable: boolean;

  constructor(message: string, hint?: string, isUnavailable = false) {
    super(message);
    this.name = 'InferError';
    this.hint = hint;
    this.isUnavailable = isUnavailable;
  }
}
