/** Something that a version changes for configurations that were written before it. */
export type VersionChange = {
  /** The version that changes it. */
  readonly version: string;
  /** In the gateway file, or in the file of a source. */
  readonly in: 'gateway' | 'source';
  /** The key; `*` stands for any name or place in a list. */
  readonly at: readonly string[];
  /** What changes: a key that is there means the same until `until`, or the default of a key that is not there. */
  readonly kind: { readonly deprecatedUntil: string } | { readonly newDefault: string };
  /** What to write. */
  readonly mend: string;
};

/** What each version has changed, the latest last. */
export const versionChanges: readonly VersionChange[] = [
  {
    version: '1.0.0',
    in: 'gateway',
    at: ['resources', '*', 'migration', 'webhook'],
    kind: { deprecatedUntil: '2.0.0' },
    mend: 'write it at the top of the file: webhooks: [{ url: …, secret: …, events: [migration.gate_ready, migration.stepped, migration.held, migration.rolled_back, migration.finished] }]',
  },
];
