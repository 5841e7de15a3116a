import type { OpenBench } from './bench.ts';
import { checkGateway } from './checks.ts';
import type { FaultRow, Figure, Outcome } from './row.ts';

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Runs a row, and then checks what every row promises of the gateways that it used. Never rejects. */
export async function runRow(bench: OpenBench, row: FaultRow): Promise<Outcome> {
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
  broken.push(...(await bench.end().catch((error: unknown) => [messageOf(error)])));
  return { row, figure: { ...figure, wrong }, broken, seconds: (performance.now() - startedAt) / 1_000 };
}
