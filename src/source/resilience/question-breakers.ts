// Breakers for single shapes of questions: if a source hangs at one shape and answers all others, only that shape is kept away
// from it.

import { type Query, queryShape } from '../../contract/query.ts';
import {
  type Breaker,
  type BreakerOptions,
  type BreakerState,
  type CallOutcome,
  createBreaker,
} from './breaker.ts';
import { createSlidingCounter } from './failure-rate.ts';

/** The breakers of one source for single shapes of questions. */
export type QuestionBreakers = ReturnType<typeof createQuestionBreakers>;

type Shape = { readonly ended: ReturnType<typeof createSlidingCounter>; readonly breaker: Breaker };

const shapeOf = (query: Query | undefined) => (query === undefined ? 'of Portico itself' : queryShape(query));

/** What an outcome says about the shape of a question. Any reply, also an error, shows that the source does not hang at it. */
function outcomeForShape(outcome: CallOutcome): CallOutcome {
  if (outcome === 'timeout') return 'failure';
  return outcome === 'error' ? 'success' : outcome === 'failure' ? 'ignored' : outcome;
}

/**
 * Creates breakers for single shapes of questions (an operation and the names of its parameters), for a source that hangs at one
 * shape and answers others. A shape is watched as long as one of its questions timed out within the window.
 */
export function createQuestionBreakers(
  options: BreakerOptions,
  monotonic: () => number,
  onChange: (shape: string, state: BreakerState) => void,
) {
  const shapes = new Map<string, Shape>();

  function watch(name: string): Shape {
    const breaker = createBreaker(
      // Only `openWorst` opens it, because one caller may ask most questions of a shape.
      { ...options, calls: Infinity },
      { monotonic, onChange: (state) => onChange(name, state) },
    );
    const shape = { ended: createSlidingCounter(options.windowMs, monotonic), breaker };
    shapes.set(name, shape);
    return shape;
  }

  /** The shape of a question, if it is still watched. */
  function watched(query: Query | undefined): Shape | undefined {
    if (shapes.size === 0) return undefined;
    const name = shapeOf(query);
    const shape = shapes.get(name);
    if (shape === undefined || shape.breaker.state !== 'closed' || shape.ended.failures > 0) return shape;
    shapes.delete(name);
    return undefined;
  }

  return {
    get isWatching() {
      return shapes.size > 0;
    },
    /** Whether a question must not be asked now: its shape, and for how many milliseconds; `undefined`: it may be asked. */
    refusal(query: Query | undefined) {
      const breaker = watched(query)?.breaker;
      return breaker?.isRefusing === true ? { shape: shapeOf(query), waitMs: breaker.waitMs } : undefined;
    },
    /** Call it when a question is asked. Returns the function that takes the outcome; `undefined`: the shape is not watched. */
    enter(query: Query | undefined) {
      const shape = watched(query);
      if (shape === undefined) return undefined;
      const report = shape.breaker.enter();
      return (outcome: CallOutcome) => {
        const said = outcomeForShape(outcome);
        if (said !== 'ignored') shape.ended.add(said === 'failure');
        report?.(said, '', 0);
      };
    },
    /** Watches the shape of a question that has timed out. */
    addTimeout(query: Query | undefined) {
      const name = shapeOf(query);
      (shapes.get(name) ?? watch(name)).ended.add(true);
    },
    /** Opens the breaker of the shape that timed out most often, if too many of its calls did. */
    openWorst() {
      const hanging = [...shapes.values()].filter(
        ({ ended, breaker }) =>
          breaker.state === 'closed' && ended.failures * 100 >= ended.total * options.failuresPercent,
      );
      hanging.sort((a, b) => b.ended.failures - a.ended.failures);
      hanging[0]?.breaker.open();
    },
  };
}
