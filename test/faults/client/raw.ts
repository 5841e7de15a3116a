import assert from 'node:assert/strict';
import { checkAnswer } from '../../support/client/openapi-check.ts';
import { connectRaw, type RawAnswer } from '../../support/client/raw-client.ts';
import type { FaultBench } from '../harness/bench.ts';
import type { FaultGateway } from '../harness/gateway.ts';
import type { RawCase } from './raw-cases.ts';

/** Fails where an answer is not what the contract promises of it: envelope, media type and headers. */
export function checkRaw(answer: RawAnswer, path: string, method = 'GET'): void {
  const header = (name: string) => answer.headers[name.toLowerCase()] ?? null;
  checkAnswer(method, path, { status: answer.status, header, body: answer.body.toString() });
}

/** Sends bytes on a connection of their own and takes so many answers; the rest is what came beyond them. */
export async function exchangeRaw(port: number, bytes: string | Buffer, count: number) {
  const connection = await connectRaw(port);
  const answers: RawAnswer[] = [];
  try {
    connection.send(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
    for (let i = 0; i < count; i += 1) answers.push(await connection.answer());
    // Said by us, the end has the gateway say everything that it still has to say.
    connection.socket.end();
    const { rest } = await connection.ended();
    return { answers, rest };
  } finally {
    connection.close();
  }
}

/** Runs cases, one connection each; tells what came otherwise than it should. */
export async function runRawCases(bench: FaultBench, gateway: FaultGateway, cases: readonly RawCase[]) {
  const wrong: string[] = [];
  for (const { name, bytes, statuses, forwarded } of cases) {
    const before = bench.samples.calls();
    const { answers, rest } = await exchangeRaw(
      gateway.port,
      bytes.replaceAll('X-API-Key: KEY', `X-API-Key: ${gateway.configuredKey}`),
      statuses.length,
    );
    const got = answers.map(({ status }) => status);
    for (const answer of answers) if (answer.status >= 400) checkRaw(answer, '/v1/unknown', 'POST');
    const seen = bench.samples.calls() - before;
    if (String(got) !== String(statuses)) wrong.push(`${name}: ${String(got)} for ${String(statuses)}`);
    if (seen !== forwarded) wrong.push(`${name}: the upstream saw ${seen} requests for ${forwarded}`);
    if (rest.length > 0) wrong.push(`${name}: then came ${rest.toString('latin1').slice(0, 60)}`);
  }
  assert.deepEqual(wrong, []);
}
