import { type Query, queryShape } from '../../contract/query.ts';
import {
  type Breaker,
  type BreakerOptions,
  type BreakerState,
  type CallOutcome,
  createBreaker,
} from './breaker.ts';
import { createSlidingCounter, type SlidingCounter } from './sliding-counter.ts';

/** Breakers of single shapes of questions, for a source that hangs at one shape and answers others. */
export type QuestionBreakers = {
  /** Whether a question of some shape has timed out within the window. */
  readonly isWatching: boolean;
  /** The shape of a question that must not be asked, and for how many milliseconds; `undefined`: it may be. */
  refusal(query: Query | undefined): { readonly shape: string; readonly waitMs: number } | undefined;
  /** A question is asked; returns what its outcome must be reported to. `undefined`: its shape is not watched. */
  enter(query: Query | undefined): ((outcome: CallOutcome) => void) | undefined;
  /** The first question of its shape has timed out. */
  addTimeout(query: Query | undefined): void;
  /** Opens the breaker of the shape that timed out most often, if that is most of its calls. */
  openWorst(): void;
};

type Shape = { readonly ended: SlidingCounter; readonly breaker: Breaker };

const shapeOf = (query: Query | undefined) => (query === undefined ? 'of Portico itself' : queryShape(query));

/** What an outcome says about the shape: any reply shows that it does not hang. */
function outcomeForShape(outcome: CallOutcome): CallOutcome {
  if (outcome === 'timeout') return 'failure';
  return outcome === 'error' ? 'success' : outcome === 'failure' ? 'ignored' : outcome;
}

/** Creates them without a shape that is watched. A shape is watched while a question of it has timed out in the window. */
export function createQuestionBreakers(
  options: BreakerOptions,
  monotonic: () => number,
  onChange: (shape: string, state: BreakerState) => void,
): QuestionBreakers {
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

  /** The shape of a question, if it is watched still. */
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
    refusal(query) {
      const breaker = watched(query)?.breaker;
      return breaker?.isRefusing === true ? { shape: shapeOf(query), waitMs: breaker.waitMs } : undefined;
    },
    enter(query) {
      const shape = watched(query);
      if (shape === undefined) return undefined;
      const record = shape.breaker.enter();
      return (outcome) => {
        const said = outcomeForShape(outcome);
        if (said !== 'ignored') shape.ended.add(said === 'failure');
        record?.(said, '', 0);
      };
    },
    addTimeout(query) {
      const name = shapeOf(query);
      (shapes.get(name) ?? watch(name)).ended.add(true);
    },
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
