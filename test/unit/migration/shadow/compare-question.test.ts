import { migration } from '../../../../src/config/schema/migration.ts';
import { resources } from '../../../support/reference.ts';
import { fault } from '../../../../src/kernel/errors/fault.ts';
import { createDifferenceSampler } from '../../../../src/migration/compare/sample.ts';
import { createCompareQuestion } from '../../../../src/migration/shadow/compare-question.ts';
import type { SourceHandler } from '../../../../src/pipeline/stages/call.ts';
import { createManualClock } from '../../../support/time/manual-clock.ts';

const body = Buffer.from('{"data":{"id":"user_1"}}');

/** A source with a record, one that says 404, one that fails, and one that is not asked because callers go first. */
const SOURCES: Record<'answers' | 'has none' | 'fails' | 'refuses', SourceHandler> = {
  answers: () => Promise.resolve({ found: true, body, storedAt: 0, freshSeconds: 1, tags: [] }),
  'has none': () => Promise.resolve({ found: false, tags: [] }),
  fails({ usage }) {
    usage.upstreamCalls += 1;
    return Promise.reject(fault('upstream_error'));
  },
  refuses: () => Promise.reject(fault('overloaded')),
};

describe('a question of a walk or a replay', () => {
  it.each([
    ['answers', 'answers', 'match'],
    ['answers', 'fails', 'failed_new'],
    ['has none', 'fails', 'odd'],
    ['fails', 'answers', 'failed_legacy'],
    ['fails', 'fails', 'failed_both'],
    ['fails', 'refuses', undefined],
    ['refuses', 'answers', undefined],
  ] as const)('where the legacy source %s and the new one %s: %s', async (legacy, next, verdict) => {
    const compareQuestion = createCompareQuestion({
      ...{ resource: resources.users, config: migration.parse({ to: 'x' }), clock: createManualClock() },
      ...{ keptRules: () => [], toSample: createDifferenceSampler({ secret: 'key', showMask: [] }) },
      sources: { legacy: SOURCES[legacy], new: SOURCES[next] },
    });
    const query = { kind: 'get', resource: 'users', id: 'user_1' } as const;
    const found = await compareQuestion('users.get', query, new AbortController().signal);
    expect(found?.verdict).toBe(verdict);
  });
});
