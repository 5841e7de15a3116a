import { migration } from '../../../src/config/schema/migration.ts';
import { resources } from '../reference.ts';
import type { GetQuery } from '../../../src/contract/query.ts';
import type { Comparison } from '../../../src/migration/compare/comparison.ts';
import { createDifferenceSampler } from '../../../src/migration/compare/sample.ts';
import type { OfferedAnswer } from '../../../src/migration/routing/offer-answers.ts';
import { createShadow, type ShadowDeps } from '../../../src/migration/shadow/shadow.ts';
import type { SourceAnswer, SourceCall, SourceHandler } from '../../../src/pipeline/stages/call.ts';
import { createCondition } from '../time/eventually.ts';
import { createManualClock } from '../time/manual-clock.ts';
import { migrationState } from './migration-facts.ts';

const query: GetQuery = { kind: 'get', resource: 'users', id: 'user_1' };

type Change = Omit<Partial<ShadowDeps>, 'config' | 'sources'> & {
  readonly shadow?: Readonly<Record<string, unknown>>;
  readonly next?: SourceHandler;
  readonly legacy?: SourceHandler;
};

/** A shadow over two sources, and everything that it did. */
export function openShadow({ shadow: settings = {}, next, legacy, ...change }: Change = {}) {
  const clock = createManualClock();
  const condition = createCondition();
  const announce = () => condition.announce();
  const outcomes: string[] = [];
  const uncompared: string[] = [];
  const answered: (readonly [origin: string, isShadow: boolean])[] = [];
  const comparisons: Comparison[] = [];
  const rereads: (readonly string[])[] = [];
  const asked: (SourceCall & { readonly origin: string })[] = [];
  const answer = (name: string): SourceAnswer => ({
    ...{ found: true, storedAt: clock.now(), freshSeconds: 1, tags: [] },
    body: Buffer.from(
      JSON.stringify({ data: { id: 'user_1', name, email: null, created_at: null, profile: {} } }),
    ),
  });
  const sourceOf =
    (origin: string, handler: SourceHandler = () => Promise.resolve(answer('Ann'))): SourceHandler =>
    (call) => {
      asked.push({ ...call, origin });
      call.usage.upstreamCalls += 1;
      return handler(call);
    };
  const shadow = createShadow({
    ...{ resource: resources.users, clock, random: () => 0.5 },
    sources: { legacy: sourceOf('legacy', legacy), new: sourceOf('new', next) },
    config: migration.parse({ to: 'x', shadow: settings }),
    ...{
      state: () => migrationState({ stage: 'shadow' }),
      rate: { take: () => true },
      overload: () => undefined,
    },
    counts: {
      ...{ isKnown: () => false, rehearsed: () => outcomes.push('rehearsed') },
      reread: (_resource, _operation, changed) => {
        rereads.push(changed);
        announce();
      },
      uncompared: (_resource, operation, outcome) => uncompared.push(`${operation} ${outcome}`),
      compared: (comparison) => {
        comparisons.push(comparison);
        announce();
      },
    },
    toSample: createDifferenceSampler({ secret: 'key', showMask: [] }),
    metrics: {
      shadow: (_resource, outcome) => {
        outcomes.push(outcome);
        announce();
      },
      recheck: () => undefined,
      migrationAnswered: (_resource, origin, isShadow) => answered.push([origin, isShadow]),
    },
    wait: () => Promise.resolve(),
    ...change,
  });
  const offer = (
    origin: 'legacy' | 'new' = 'legacy',
    served = answer('Ann'),
    spans?: OfferedAnswer['spans'],
  ) => shadow.offer({ operation: 'users.get', origin, query, answer: served, ms: 3, spans });
  const until = (check: () => boolean) => condition.until(check);
  return { shadow, offer, answer, outcomes, uncompared, answered, comparisons, rereads, asked, clock, until };
}
