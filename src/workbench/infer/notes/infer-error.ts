/** The reason why no draft was possible. The message is for the operator and holds no value of a record. */
export class InferError extends Error {
  /** How the operator can go on. */
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.name = 'InferError';
    this.hint = hint;
  }
}
