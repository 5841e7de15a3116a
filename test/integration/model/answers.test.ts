import fc from 'fast-check';
import { GatewayError } from '../../../src/kernel/errors/fault.ts';
import { lyingCase, type ModelCase, truthfulCase } from '../../support/model/cases.ts';
import { modelAnswer, type ModelAnswer } from '../../support/model/gateway.ts';
import { expectedAnswer } from '../../support/model/oracle.ts';
import { startModelUpstream } from '../../support/model/upstream.ts';
import { startForAll } from '../../support/jest/lifetime.ts';

const CASES = Number(process.env['MODEL_CASES'] ?? 160);
const TIME_MAX_MS = 600_000 + CASES * 200;

/** The ways in which an answer may be refused: they blame the source, and say so. */
const DECLARED = /^(upstream_\w+|scan_limit_exceeded)$/;

const upstream = startForAll(startModelUpstream);

type Answered = {
  readonly question: unknown;
  readonly result: ModelAnswer;
  readonly requests: readonly string[];
};

/** Whether the end of the list may lie where the source cannot be asked any more. */
function reachesDepth({ says, rows }: ModelCase): boolean {
  // The end may show only behind it: one window of two sizes, or two where rows are hidden.
  const needed = rows.length + (says.hides ? 4 : 2) * says.size;
  return says.depth !== undefined && needed >= says.depth;
}

/** Asks every question of a case, and hands each answer to `check` with the one that the contract demands. */
async function ask(
  { does, says, rows, questions }: ModelCase,
  check: (answered: Answered, wanted: ModelAnswer) => void,
): Promise<void> {
  upstream.become(does, rows);
  const gateway = modelAnswer(says, upstream.baseUrl);
  try {
    for (const question of questions) {
      const result = await gateway.answer(question);
      check(
        {
          question,
          result,
          requests: upstream.requests.map(({ method, target, body }) => `${method} ${target} ${body}`),
        },
        expectedAnswer(says, rows, question),
      );
    }
  } finally {
    gateway.close();
  }
}

describe('an upstream that does what its source file says', () => {
  it(
    'is answered for as the contract says, to the byte',
    () =>
      fc.assert(
        fc.asyncProperty(truthfulCase, (one) =>
          ask(one, (answered, wanted) => {
            const { result } = answered;
            if (reachesDepth(one) && result instanceof GatewayError)
              expect(result.code).toBe('scan_limit_exceeded');
            else expect(answered).toEqual({ ...answered, result: wanted });
          }),
        ),
        { numRuns: Math.ceil(CASES / 2) },
      ),
    TIME_MAX_MS,
  );
});

describe('an upstream that does not do what its source file says', () => {
  it(
    'is never believed: the answer is right, or blames the source',
    () =>
      fc.assert(
        fc.asyncProperty(lyingCase, (one) =>
          ask(one, (answered, wanted) => {
            const { result } = answered;
            if (result instanceof GatewayError) expect(result.code).toMatch(DECLARED);
            else expect(answered).toEqual({ ...answered, result: wanted });
          }),
        ),
        { numRuns: Math.floor(CASES / 2) },
      ),
    TIME_MAX_MS,
  );
});
