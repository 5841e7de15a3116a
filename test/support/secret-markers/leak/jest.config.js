import config from '../../../../jest.config.js';

/** A run of the one test that has a secret marker come out: it must fail. */
export default { ...config.projects[0], testMatch: ['<rootDir>/test/support/secret-markers/leak/*.ts'] };
