import { config } from 'zod';

describe('the settings of zod', () => {
  it('are those of the global object, in which a start turns off what zod compiles', () => {
    expect(config()).toBe((globalThis as { __zod_globalConfig?: unknown }).__zod_globalConfig);
  });
});
