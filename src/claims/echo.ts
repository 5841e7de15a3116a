import type { WindowCall } from '../adapter/plan/window.ts';
import type { Echo } from '../adapter/read/echo.ts';

/** The first variable whose echo differs from the request; `undefined` if none does. */
export function brokenEcho(echo: Echo, { variables }: WindowCall): string | undefined {
  return Object.keys(echo).find(
    (name) => variables[name] !== undefined && String(variables[name]) !== echo[name],
  );
}
