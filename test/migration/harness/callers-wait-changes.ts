// The changes of the gateway that make its callers wait for both sources (make-callers-wait-for-shadows.ts).

/** What is written otherwise, by the end of the file's name. Each has to be there once. */
export const callersWaitChanges = [
  [
    '/src/migration/routing/offer-answers.ts',
    /(const answer = await source\(call\);\s+)(?=\w+\()/,
    '$1await ',
  ],
  [
    '/src/migration/shadow/shadow.ts',
    /tasks\.run\(\(signal\) => (compare\(.+), signal\)\);/,
    'return $1, AbortSignal.timeout(60_000));',
  ],
  ['/src/gateway/reload/open-migrations.ts', /(?=comparisons\.offer\(read\);)/, 'return '],
] as const;
