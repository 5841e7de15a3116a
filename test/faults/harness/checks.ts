import { setTimeout as sleep } from 'node:timers/promises';
import { checkAnswer } from '../../support/client/openapi-check.ts';
import type { OpenBench } from './bench.ts';
import type { FaultGateway } from './gateway.ts';
import type { Answer } from './load/traffic.ts';

/** What every row promises, looked at once the harm is done. */
export type Checked = {
  readonly broken: readonly string[];
  /** Answers to callers in good standing that were neither the truth nor a clear error. */
  readonly wrong: number;
};

/** How long a line of the log may take, and work that nobody waits for: an end for a test that will fail. */
const PATIENCE_MS = 60_000;
/** Of many alike, so many are told. */
const REPORTED_MAX = 3;

const BAD_WORDS = /unhandledRejection|UnhandledPromiseRejection|uncaughtException|"level":60\b/;

function contractProblem({ method, path, status, headers, body }: Answer): string | undefined {
  try {
    checkAnswer(method, path, { status, header: (name) => headers[name.toLowerCase()] ?? null, body });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Refusals of a caller who has done nothing wrong; 429 and faults of the server's side are clear errors. */
function isWrong(gateway: FaultGateway, { path, method, status, body, entitled }: Answer): boolean {
  const truth = entitled ? gateway.checked.truth(path) : undefined;
  if (truth === undefined || status >= 500 || status === 429 || status === 304) return false;
  if (method !== 'GET' && method !== 'HEAD') return false;
  if (status !== truth.status) return true;
  return method === 'GET' && truth.body !== undefined && truth.body !== body;
}

/** The answers that have no line of the log with their id and their status. */
async function withoutLine(gateway: FaultGateway, answers: readonly Answer[]): Promise<readonly Answer[]> {
  const endsAt = performance.now() + PATIENCE_MS;
  for (;;) {
    const lines = new Set(
      gateway.log().map(({ requestId, status }) => `${String(requestId)} ${String(status)}`),
    );
    const missing = answers.filter(
      (one) => !lines.has(`${String(one.headers['x-request-id'])} ${one.status}`),
    );
    if (missing.length === 0 || performance.now() > endsAt) return missing;
    await sleep(20);
  }
}

/** What is still in flight, once it had time to end; `undefined` where the metrics do not tell. */
async function inFlight(gateway: FaultGateway): Promise<number | undefined> {
  const endsAt = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = /^portico_requests_in_flight (\d+)$/m.exec(await gateway.metrics());
    const count = found === null ? undefined : Number(found[1]);
    if (count === 0 || performance.now() > endsAt) return count;
    await sleep(20);
  }
}

function describeSome(what: string, answers: readonly Answer[]): string[] {
  const found = answers
    .slice(0, REPORTED_MAX)
    .map(({ method, path, status, body }) => `${what}: ${method} ${path} → ${status} ${body.slice(0, 200)}`);
  return answers.length > REPORTED_MAX ? [...found, `${what}: ${answers.length} in all`] : found;
}

async function checkProcess(gateway: FaultGateway, answers: readonly Answer[]): Promise<string[]> {
  if (gateway.checked.mayEnd) return [];
  const ask = () => fetch(`${gateway.adminUrl}/livez`);
  // A kept connection may be closed for its idleness just as it is used; a process that has gone is so twice.
  const alive = await ask()
    .catch(ask)
    .then(
      ({ status }) => status === 200,
      () => false,
    );
  if (!alive) return ['the process is not alive'];
  const left = await inFlight(gateway);
  return [
    ...describeSome('no line of the log', await withoutLine(gateway, answers)),
    ...(left === 0 ? [] : [`still in flight: ${String(left)}`]),
  ];
}

/** Looks at everything that a gateway has said while the row ran. */
export async function checkGateway(bench: OpenBench, gateway: FaultGateway): Promise<Checked> {
  const answers = gateway.checked.traffic.take();
  const problems = new Set(answers.map(contractProblem).filter((problem) => problem !== undefined));
  const wrong = answers.filter((answer) => isWrong(gateway, answer));
  const ofProcess = await checkProcess(gateway, answers);
  const output = gateway.checked.output();
  const said = answers.map(({ headers, body }) => JSON.stringify(headers) + body).join('\n');
  const metrics = await gateway.metrics().catch(() => '');
  const places = { log: output, answers: said, metrics };
  const leaks = Object.entries(places).filter(([, text]) => bench.secretsIn(text).length > 0);
  const bad = gateway.checked.mayFail ? undefined : BAD_WORDS.exec(output)?.[0];
  return {
    wrong: wrong.length,
    broken: [
      ...[...problems].slice(0, REPORTED_MAX),
      ...describeSome('wrong answer', wrong),
      ...ofProcess,
      ...leaks.map(([where]) => `a secret came out in the ${where}`),
      ...(bad === undefined ? [] : [`the process said ${bad}`]),
    ],
  };
}
