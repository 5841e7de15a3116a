import { parse } from 'yaml';
import { compileAdapter } from '../../../src/source/adapter/compile.ts';
import { UNOBSERVED } from '../../../src/source/adapter/map/reply-observer.ts';
import { pathText } from '../../../src/config/yaml/problem.ts';
import { sourceSchema } from '../../../src/config/schema/source.ts';
import { resources } from '../reference.ts';
import { GatewayError } from '../../../src/kernel/errors/fault.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { createAnswer } from '../../../src/pipeline/answer/answer-query.ts';
import { createLocalClaims } from '../../../src/pipeline/reading/windows/source-runtime.ts';
import { createUpstream } from '../../../src/source/client/client.ts';
import { createSourceCall } from '../pipeline/call.ts';
import type { Capabilities } from './capabilities.ts';
import type { Question } from './rows.ts';
import { modelSource } from './source.ts';
import { parseGet, parseList } from '../pipeline/parse-as.ts';

/** A body, the absence of a record, or the error in its place. */
export type ModelAnswer = string | null | GatewayError;

/** The gateway's part between a checked query and a finished body, in front of a source that says these things. */
export function modelAnswer(says: Capabilities, baseUrl: string) {
  const spec = sourceSchema.parse(parse(modelSource(says, baseUrl)));
  const resource = resources[says.resource];
  const adapter = compileAdapter(spec, resource, (path, message) => {
    throw new Error(`${pathText(path)}: ${message}`);
  });
  if (adapter === undefined) throw new Error('the source does not have the resource');
  const upstream = createUpstream(spec, {
    onExchange: () => undefined,
  });
  const answer = createAnswer(
    {
      ...{ resource, adapter, upstream, budget: spec.budget, clock: systemClock },
      claims: createLocalClaims(),
      observer: { ...UNOBSERVED, contradicted: () => undefined },
    },
    { fresh: 1 },
  );
  return {
    async answer(question: Question): Promise<ModelAnswer> {
      const query =
        'id' in question
          ? parseGet(question.id)
          : parseList(`${says.resource}.list`, String(new URLSearchParams(question.list)));
      try {
        const document = await answer(createSourceCall(query));
        return document.found ? document.body.toString() : null;
      } catch (error) {
        if (error instanceof GatewayError) return error;
        throw error;
      }
    },
    close: () => upstream.close(),
  };
}
