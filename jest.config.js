const project = (name, extra = {}) => ({
  displayName: name,
  rootDir: import.meta.dirname,
  testEnvironment: 'node',
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2024', parser: { syntax: 'typescript' } }, module: { type: 'es6' } }],
  },
  ...extra,
});

export default {
  projects: ['unit', 'contract', 'integration', 'faults', 'e2e', 'house'].map((name) => project(name)),
  testTimeout: 30_000,
};
