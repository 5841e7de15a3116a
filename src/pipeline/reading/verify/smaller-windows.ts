import type { ListPlan } from '../../../source/adapter/plan/plan.ts';
import { windowIds } from '../../../source/checks/claim.ts';
import { isPlanFailure } from '../windows/plan-failure.ts';
import { readWindow } from '../windows/read-window.ts';
import type { CallContext, SourceRuntime } from '../windows/source-runtime.ts';

const isSame = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((id, index) => id === b[index]);

/**
 * Creates what notices that a source now gives fewer rows in a window than its file says, and then uses smaller windows.
 * That is safe, because the file allows smaller windows, and each is checked like any other. So that one bad reply is not
 * enough, three replies must agree: the first window is too short; in the smaller size it has the same rows; and the window
 * after it is full of other rows.
 */
export function createSmallerWindows(source: SourceRuntime) {
  let rowsMax = Infinity;

  return {
    /** Returns the plan with windows that the source gives in full. */
    apply(plan: ListPlan): ListPlan {
      if (plan.kind === 'nothing' || plan.window.kind !== 'random' || plan.window.scanSize <= rowsMax)
        return plan;
      const window = plan.window.upTo?.(rowsMax);
      return window === undefined ? plan : { ...plan, window };
    },

    /** Whether the source gives smaller windows than the plan asks for. It remembers their size. @throws GatewayError */
    async learn(plan: ListPlan, context: CallContext): Promise<boolean> {
      if (plan.kind === 'nothing' || plan.window.kind !== 'random' || !plan.window.shortAtEnd) return false;
      const { window, request } = plan;
      const cut = await readWindow(source, request, window.scanCall(0), context);
      if (isPlanFailure(cut)) return false;
      const { received } = cut.rows;
      const isCounted = plan.kind === 'page' || (plan.totalCounts && !plan.totalIsLowerBound);
      const total = (isCounted ? cut.rows.total : undefined) ?? Infinity;
      const smaller = window.upTo?.(received);
      if (smaller === undefined || received >= Math.min(window.scanSize, total)) return false;
      const size = smaller.scanSize;
      const first = await readWindow(source, request, smaller.scanCall(0), context);
      if (isPlanFailure(first) || !isSame(windowIds(first), windowIds(cut).slice(0, size))) return false;
      const next = await readWindow(source, request, smaller.scanCall(1), context);
      if (isPlanFailure(next) || next.rows.total !== cut.rows.total) return false;
      const known = new Set(windowIds(first));
      const isBehind = next.rows.received > 0 && !windowIds(next).some((id) => known.has(id));
      const isFull = total === Infinity || next.rows.received === Math.min(size, total - size);
      if (!isBehind || !isFull) return false;
      rowsMax = size;
      return true;
    },
  };
}
