/** The confidence in a guess. `edit` needs the operator. */
export type Confidence = 'sure' | 'likely' | 'edit';

/** A note on one place of a draft. */
export type DraftNote = {
  /** The keys from the top of the source file. */
  readonly at: readonly PropertyKey[];
  readonly level: Confidence;
  /** One plain sentence. It may name keys of the service, never a value of a record. */
  readonly text: string;
};
