import { ConfigError, problemText } from '../../../src/config/yaml/problem.ts';
import type { OpenBench } from './bench.ts';
import { checkGateway } from './checks.ts';
import type { BenchRow, Figure, Outcome } from './row.ts';

function messageOf(error: unknown): string {
  if (error instanceof ConfigError) return error.problems.map(problemText).join('; ');
  return error instanceof Error ? error.message : String(error);
}

/** Runs a row, and then checks what every row promises of the gateways that it used. Never rejects. */
export async function runRow(bench: OpenBench, row: BenchRow): Promise<Outcome> {
  const startedAt = performance.now();
  const broken: string[] = [];
  let figure: Figure = {};
  let wrong = 0;
  bench.begin();
  try {
    figure = await row.run(bench);
  } catch (error) {
    broken.push(messageOf(error));
  }
  for (const gateway of bench.gateways()) {
    const checked = await checkGateway(bench, gateway).catch((error: unknown) => ({
      wrong: 0,
      broken: [messageOf(error)],
    }));
    wrong += checked.wrong;
    broken.push(...checked.broken);
  }
  const late = await bench.end().catch((error: unknown) => [messageOf(error)]);
  const seconds = (performance.now() - startedAt) / 1_000;
  return {
    row,
    figure: { ...figure, wrong },
    broken: [...broken, ...late],
    onlyLate: broken.length === 0,
    seconds,
  };
}
