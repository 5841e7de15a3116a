import type { Query } from '../../../../src/contract/query.ts';
import { createQuestionBreakers } from '../../../../src/source/resilience/question-breakers.ts';
import { createManualClock } from '../../../support/time/manual-clock.ts';

const get: Query = { kind: 'get', resource: 'users', id: 'user_1' };
const list = (over: object): Query => ({
  ...{ kind: 'list', resource: 'products', page: 1, limit: 20, sort: null, filters: [] },
  ...over,
});

function open() {
  const clock = createManualClock();
  const events: string[] = [];
  const questions = createQuestionBreakers(
    { calls: 20, windowMs: 10_000, failuresPercent: 50, openMs: 5_000 },
    () => clock.monotonic(),
    (shape, state) => void events.push(`${shape} ${state}`),
  );
  function end(
    query: Query | undefined,
    outcome: 'success' | 'timeout' | 'error' | 'ignored',
    count = 1,
  ): void {
    for (let call = 0; call < count; call += 1) {
      const record = questions.enter(query);
      if (record !== undefined) record(outcome);
      else if (outcome === 'timeout') questions.addTimeout(query);
    }
  }
  return { questions, clock, events, end };
}

describe('the breaker of a shape of question', () => {
  it('refuses questions of its shape only, by operation and names of parameters, whatever their values', () => {
    const { questions, events, end } = open();
    const category = (value: string) =>
      list({
        page: 2,
        filters: [{ field: 'category', op: 'eq', value }],
        sort: { field: 'id', descending: true },
      });
    end(category('a'), 'timeout');
    questions.openWorst();
    expect(events).toEqual(['products.list category page sort open']);
    expect(questions.refusal(category('b'))).toEqual({
      shape: 'products.list category page sort',
      waitMs: 5_000,
    });
    for (const other of [get, undefined, list({}), list({ page: 2 })])
      expect(questions.refusal(other)).toBeUndefined();
  });

  it('is that of the shape which timed out most often', () => {
    const { questions, events, end } = open();
    end(get, 'timeout', 3);
    end(list({}), 'timeout', 4);
    questions.openWorst();
    expect(events).toEqual(['products.list open']);
  });

  it('stays closed for a shape of which most questions are answered, an error included', () => {
    const { questions, events, end } = open();
    end(get, 'timeout', 10);
    end(get, 'success', 6);
    end(get, 'error', 5);
    questions.openWorst();
    expect(events).toEqual([]);
  });

  it('lets one question through after a time, and closes once that is answered', () => {
    const { questions, clock, events, end } = open();
    end(get, 'timeout', 3);
    questions.openWorst();
    clock.advance(5_000);
    expect(questions.refusal(get)).toBeUndefined();
    const probe = questions.enter(get);
    expect(questions.refusal(get)).toBeDefined();
    probe?.('timeout');
    expect(questions.refusal(get)).toBeDefined();
    clock.advance(5_000);
    end(get, 'success');
    expect(questions.refusal(get)).toBeUndefined();
    expect(events.map((event) => event.split(' ')[1])).toEqual([
      'open',
      'half_open',
      'open',
      'half_open',
      'closed',
    ]);
  });

  it('is forgotten once no question of its shape has timed out within the window', () => {
    const { questions, clock, end } = open();
    end(get, 'timeout');
    clock.advance(11_000);
    end(get, 'success');
    expect(questions.isWatching).toBe(false);
  });
});
