import { assembleAdmission, assembleOperation } from '../../../../src/gateway/assemble/assemble.ts';
import type { Call, Handler, Stage } from '../../../../src/pipeline/stages/call.ts';
import { createCall } from '../../../support/pipeline/call.ts';
import { parseList } from '../../../support/pipeline/parse-as.ts';

/** An operation whose parts write down that they were passed. */
function open(isAnsweredAtOnce = true) {
  const passed: string[] = [];
  const stage =
    (name: string): Stage =>
    (next) =>
    (call) => {
      passed.push(name);
      return next(call);
    };
  const parts = {
    authenticate: stage('authenticate'),
    rateLimit: stage('rate limit'),
    deadlineMs: 70,
    parseRequest: () => {
      passed.push('parse');
      return parseList('users.list', '');
    },
    answer: (() => {
      passed.push('cache');
      const reply = {
        body: Buffer.from(''),
        etag: '""',
        storedAt: 0,
        freshSeconds: 1,
        cache: 'hit',
      } as const;
      return isAnsweredAtOnce ? reply : Promise.resolve(reply);
    }) satisfies Handler,
  };
  return { passed, parts };
}

const allowed: Partial<Call> = { permission: null };

describe('a request of an operation', () => {
  it('passes authentication, rate limit, parameters and cache, in this order', async () => {
    const { passed, parts } = open();
    await assembleOperation(parts)(createCall(allowed));
    expect(passed).toEqual(['authenticate', 'rate limit', 'parse', 'cache']);
  });

  it('is counted against the limit, but neither parsed nor looked up, where the permission is missing', () => {
    const { passed, parts } = open();
    const call = createCall({ permission: 'users:read' });
    let thrown: unknown;
    try {
      void assembleOperation(parts)(call);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code: 'insufficient_permissions' });
    expect(passed).toEqual(['authenticate', 'rate limit']);
  });

  it('has a deadline only where its answer has to be waited for', async () => {
    for (const isAtOnce of [true, false]) {
      const { parts } = open(isAtOnce);
      const deadlines: number[] = [];
      const call = createCall({ ...allowed, startDeadline: (ms) => deadlines.push(ms) });
      await assembleOperation(parts)(call);
      expect(deadlines).toEqual(isAtOnce ? [] : [70]);
    }
  });
});

describe('a request of a pass-through route', () => {
  it('passes authentication and rate limit, and nothing that belongs to operations', async () => {
    const { passed, parts } = open();
    await assembleAdmission(parts)(createCall(allowed));
    expect(passed).toEqual(['authenticate', 'rate limit']);
  });
});
