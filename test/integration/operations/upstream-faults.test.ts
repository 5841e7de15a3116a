import { type FaultName, INNER_TEXT, startFailingUpstream } from '../../support/upstream/failing-upstream.ts';
import type { ScriptedUpstream } from '../../support/upstream/scripted-upstream.ts';
import { hurry, operationCases } from '../../support/gateway/operation-cases.ts';
import { type Stack, startStack } from '../../support/gateway/stack.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';

type Expected = readonly [status: number, code: string];

/** What a caller is told where the answer had to be translated. */
const translated: Record<FaultName, Expected> = {
  'refuses connections': [503, 'upstream_unavailable'],
  'resets the connection': [502, 'upstream_error'],
  'says nothing': [504, 'upstream_timeout'],
  'answers 500': [502, 'upstream_error'],
  'answers with a page of HTML': [502, 'upstream_invalid_response'],
  'answers with JSON of another shape': [502, 'upstream_invalid_response'],
  'stops in the middle of its answer': [502, 'upstream_error'],
  'refuses the credential with 401': [502, expect.stringMatching(/^upstream_(error|invalid_response)$/)],
  'refuses the credential with 403': [502, expect.stringMatching(/^upstream_(error|invalid_response)$/)],
};

/** What a caller is told where answers pass as they are: only of what never became an answer, or was about us. */
const passed: Partial<Record<FaultName, Expected>> = {
  'refuses connections': [503, 'upstream_unavailable'],
  'resets the connection': [502, 'upstream_error'],
  'says nothing': [504, 'upstream_timeout'],
  'refuses the credential with 401': [502, 'upstream_error'],
  'refuses the credential with 403': [502, 'upstream_error'],
};

const cases = operationCases.flatMap(({ name, path, translated: isTranslated }) =>
  Object.entries(isTranslated ? translated : passed).map(([fault, expected]) => ({
    name,
    path,
    fault: fault as FaultName,
    expected,
  })),
);

let upstream: ScriptedUpstream;
let stack: Stack;
async function start(fault: FaultName): Promise<void> {
  upstream = endAfterTest(await startFailingUpstream(fault));
  // Where something else than silence is meant, a busy machine must not turn it into a timeout.
  stack = endAfterTest(
    await startStack({
      upstream: upstream.origin,
      ...(fault === 'says nothing' ? { configure: hurry } : {}),
    }),
  );
}

describe('an upstream that fails', () => {
  it.each(cases)('$name: $fault → $expected', async ({ path, fault, expected: [status, code] }) => {
    await start(fault);
    const response = await stack.get(path);
    const body = await response.text();
    expect(body).not.toContain(INNER_TEXT);
    expect([response.status, JSON.parse(body)]).toEqual([
      status,
      { error: { code, message: expect.any(String), request_id: response.headers.get('x-request-id') } },
    ]);
    expect(stack.log.join('')).not.toContain(INNER_TEXT);
  });

  it.each(cases.filter(({ fault }) => fault === 'answers 500'))(
    '$name: a failure is never kept, so the next caller asks again',
    async ({ path, fault }) => {
      await start(fault);
      const statuses = [(await stack.get(path)).status, (await stack.get(path)).status];
      expect(statuses).toEqual([502, 502]);
      const metrics = await stack.metrics();
      expect(metrics).toMatch(/portico_upstream_calls_total\{.*outcome="5xx",failure="error"\} [2-9]/);
    },
  );

  it.each(operationCases.filter((one) => !one.translated))(
    '$name: what the upstream answers passes as it is, also its 500 and its HTML',
    async ({ path }) => {
      await start('answers 500');
      const response = await stack.get(path);
      expect([response.status, await response.text()]).toEqual([500, INNER_TEXT]);
      expect(response.headers.get('x-request-id')).toMatch(/^req_/);
    },
  );

  it.each(operationCases.filter((one) => !one.translated))(
    '$name: half an answer never looks like a whole one',
    async ({ path }) => {
      await start('stops in the middle of its answer');
      await expect(stack.get(path).then((response) => response.text())).rejects.toThrow();
    },
  );
});
