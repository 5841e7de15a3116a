/** How far a guess can be relied on; `edit` needs a person. */
export type Confidence = 'sure' | 'likely' | 'edit';

/** What is said of one place of a draft. */
export type DraftNote = {
  /** Keys from the top of the source file. */
  readonly at: readonly PropertyKey[];
  readonly level: Confidence;
  /** One line in plain words; it may name keys of the service, never a value of a record. */
  readonly text: string;
};
