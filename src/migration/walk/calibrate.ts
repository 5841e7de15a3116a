// Asks the legacy source every question twice, and counts what differs: the noise that is no fault of the new one.

import type { MigrationConfig } from '../../config/schema/migration.ts';
import type { Query } from '../../contract/query.ts';
import type { Resource } from '../../contract/resources.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { SourceHandler } from '../../policy/call.ts';
import { compareAnswers } from '../compare/compare-answers.ts';
import { readListBody } from '../compare/read-body.ts';
import { answerOf, createAskAtLowPriority } from '../operate/ask-at-low-priority.ts';
import type { CalibrationResult, Run } from '../operate/operator-tasks.ts';
import { pageQuery } from './list-records.ts';
import { createPacer, type Wait, waitMs } from './pacer.ts';

/** Calls keep to `config.shadow.maxRps` a second. `wait` is replaced in tests. */
export type CalibrateDeps = {
  readonly resource: Resource;
  readonly legacy: SourceHandler;
  readonly config: Pick<MigrationConfig, 'shadow'>;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly wait?: Wait;
};

/**
 * Makes the function that compares the legacy source with itself. What differs there is noise, such as a time of the answer,
 * and a rule may ignore it; an operator adds such a rule himself. It throws an Error where the source fails.
 */
export function createCalibrate({ resource, legacy, config, clock, wait = waitMs }: CalibrateDeps) {
  const ask = createAskAtLowPriority({ pace: createPacer(config.shadow.maxRps, clock, wait), wait });

  /** The questions to ask: pages of the list, and each of their records where the contract has single records. */
  async function questions(samples: number, signal: AbortSignal): Promise<readonly Query[]> {
    const found: Query[] = [];
    for (let page = 1; found.length < samples; page += 1) {
      const query = pageQuery(resource, page);
      const answer = answerOf(await ask(legacy, query, signal));
      const { records } = readListBody(resource, answer.found ? answer.body : '{}');
      if (records.length === 0) break;
      found.push(query);
      if (resource.detail === null) continue;
      for (const { id } of records) found.push({ kind: 'get', resource: resource.name, id });
    }
    return found.slice(0, samples);
  }

  return async function calibrate(samples: number, { signal, progress }: Run): Promise<CalibrationResult> {
    const asked = await questions(samples, signal);
    const counts = new Map<string, { path: string; kind: string; count: number }>();
    for (const [index, query] of asked.entries()) {
      const first = answerOf(await ask(legacy, query, signal));
      const second = answerOf(await ask(legacy, query, signal));
      for (const { path, kind } of compareAnswers(resource, query, first, second)) {
        const counted = counts.get(`${path}|${kind}`) ?? { path, kind, count: 0 };
        counted.count += 1;
        counts.set(`${path}|${kind}`, counted);
      }
      progress(index + 1, asked.length);
    }
    return { asked: asked.length, differences: [...counts.values()].sort((a, b) => b.count - a.count) };
  };
}
