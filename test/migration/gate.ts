import { comparison } from '../support/migration/comparisons.ts';
import { openJudged } from '../support/migration/judged-migration.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';

const GATE = { soak: '1s', step: '1s', stepRequests: 1_000, rehearsal: false, walk: false, edges: false };

const exact: BenchRow = {
  id: 'gate-1',
  name: 'the gate of 0.1 %: 2,994 records without a difference are not enough, 2,995 are',
  fast: true,
  async run() {
    const judged = await openJudged({ declared: { gate: GATE } });
    judged.clock.advance(2_000);
    for (let id = 0; id < 2_994; id += 1)
      for (const operation of ['users.list', 'users.get'])
        judged.counts.compared(comparison(`user_${id}`, { operation }));
    const before = await judged.judge.gate('users');
    // A record that was compared before is no new fact, however often it comes.
    for (let again = 0; again < 100; again += 1) judged.counts.compared(comparison('user_0'));
    const same = await judged.judge.gate('users');
    for (const operation of ['users.list', 'users.get'])
      judged.counts.compared(comparison('user_2994', { operation }));
    const after = await judged.judge.gate('users');
    await judged.close();
    const isKeysAlone = before.unmet.every(
      ({ id, have, need }) => id === 'keys' && have === 2_994 && need === 2_995,
    );
    return promised(!before.ready && isKeysAlone && !same.ready && after.ready, {
      '2,994': String(before.ready),
      '2,995': String(after.ready),
    });
  },
};

const noTraffic: BenchRow = {
  id: 'gate-2',
  name: 'traffic stops for an hour on a clock of the test: no step, and with it they go on',
  fast: true,
  async run() {
    const judged = await openJudged({ declared: { promote: 'auto', gate: { ...GATE, stepRequests: 20 } } });
    let id = 0;
    const busy = () => {
      id += 1;
      for (const operation of ['users.list', 'users.get']) {
        judged.counts.compared(comparison(`user_${id}`, { operation }));
        if (judged.current().stage === 'ramp') judged.serve({ operation });
      }
    };
    while (judged.position() === 'shadow' && id < 10_000) await judged.pass(2, 200, busy);
    const reached = judged.position();
    await judged.pass(3_600, 0, () => undefined);
    const afterAnHour = judged.position();
    await judged.pass(8, 10, busy);
    const withTraffic = judged.position();
    await judged.close();
    return promised(reached === 'ramp:1' && afterAnHour === 'ramp:1' && withTraffic !== 'ramp:1', {
      reached,
      'after an hour': afterAnHour,
      'with traffic': withTraffic,
    });
  },
};

/** Rows about what a step asks for. */
export const gateRows: readonly BenchRow[] = [exact, noTraffic];
