import { env } from 'node:process';

/** Describes what takes its time: it is tried where a variable asks for it, and says so where none does. */
export function describeOnRequest(variable: 'IMAGE' | 'FLEETS', name: string, tests: () => void): void {
  if (env[variable] !== undefined) {
    describe(name, tests);
    return;
  }
  describe(name, () => {
    it(`is not tried: set ${variable}=1 to have it tried`, () => {
      expect(env[variable]).toBeUndefined();
    });
  });
}
