import { config } from 'zod';

// src/main.ts writes this object before zod is loaded, so that zod does not compile code for schemas.
describe('the settings of zod', () => {
  it('are read from an object of the global object', () => {
    expect(config()).toBe((globalThis as { __zod_globalConfig?: unknown }).__zod_globalConfig);
  });
});
