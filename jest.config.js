/** Test folders, each a project of its own: `npm test -- --selectProjects unit` runs all of one. A file is named alone. */
const folders = [
  ...['unit', 'contract', 'integration', 'e2e', 'project'],
  ...['faults', 'operations', 'migration', 'deployment'],
];

const project = (name) => ({
  displayName: name,
  rootDir: import.meta.dirname,
  // Only these are crawled for files; node_modules would take longer than many a test.
  roots: ['<rootDir>/src', '<rootDir>/test'],
  globalSetup: '<rootDir>/test/support/jest/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/jest/global-teardown.ts',
  testEnvironment: '<rootDir>/test/support/jest/native-environment.ts',
  runtime: '<rootDir>/test/support/jest/native-runtime.ts',
  setupFilesAfterEnv: ['<rootDir>/test/support/jest/test-setup.ts'],
  testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2024', parser: { syntax: 'typescript' } }, module: { type: 'es6' } },
    ],
  },
});

export default {
  projects: folders.map(project),
  testSequencer: '<rootDir>/test/support/jest/long-first.ts',
  // A limit only against a test that hangs: a busy machine must not fail one.
  testTimeout: 240_000,
  // One more than the two cores that the suite is measured on: many a test waits for a process or a clock.
  maxWorkers: 3,
  // Modules that a test file has loaded are never let go of: gigabytes in the end, and more time to look through them.
  workerIdleMemoryLimit: '1GB',
};
