/** Takes a problem of a source file at a path of keys, with a hint how to mend it. */
export type Report = (path: readonly PropertyKey[], message: string, hint?: string) => void;
