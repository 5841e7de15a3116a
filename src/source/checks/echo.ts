// Checks that replies name the page or offset that they were asked for (`window.echo`), and not another one: the gateway in
// each reply (`brokenEcho`), `doctor` and `infer` in a sample (`echoClaim`).

import type { WindowCall } from '../adapter/plan/window.ts';
import type { Echo } from '../adapter/read/echo.ts';
import { claimOf } from './claim.ts';
import { listPlace } from './evidence/ask.ts';
import { concludeAt } from './evidence/finding.ts';
import { plural } from '../../kernel/plural.ts';

/** The first variable whose echo differs from the request; `undefined` if none does. */
export function brokenEcho(echo: Echo, { variables }: WindowCall): string | undefined {
  return Object.keys(echo).find(
    (name) => variables[name] !== undefined && String(variables[name]) !== echo[name],
  );
}

/** The claim that replies repeat the page or offset that they were asked for. */
export const echoClaim = claimOf('echo', ({ ask, sample: { steps } }) => {
  const conclude = concludeAt(
    'echo',
    'the reply repeats what it was asked for',
    listPlace(ask, 'window', 'echo'),
  );
  for (const { call, rows, exchange } of steps) {
    const echo = rows.echo ?? {};
    if (Object.keys(echo).length === 0)
      return conclude('differs', 'nothing stands there', 'its paths', exchange);
    const broken = brokenEcho(echo, call);
    if (broken !== undefined)
      return conclude(
        'differs',
        `it says another ${broken}`,
        'window.echo names what was asked for, and not what came',
        exchange,
      );
  }
  return conclude('agrees', plural(steps.length, 'window'));
});
