import { sortRecords } from '../adapter/order.ts';
import type { ScanPlan } from '../adapter/plan.ts';
import type { CanonicalRecord } from '../contract/document.ts';
import type { FieldKind } from '../contract/fields.ts';
import { matches } from '../contract/order.ts';
import { filtersKey } from '../contract/query-key.ts';
import { createSingleFlight } from '../kernel/single-flight.ts';
import { type BoundedMap, createBoundedMap } from '../store/bounded-map.ts';
import { scan } from './scan.ts';
import type { Errand, SourceRuntime } from './source-runtime.ts';

/** The rows of one scan, and the orders and selections made of them so far. */
type Snapshot = {
  readonly records: readonly CanonicalRecord[];
  readonly storedAt: number;
  readonly views: BoundedMap<View>;
};

/** Records that match, in order. */
type View = readonly CanonicalRecord[];

/** Records of a scan that match a plan's residual filters, in its order. */
export type Selection = { readonly records: View; readonly storedAt: number };

/** Serves any page, order and selection from one scan for as long as the snapshot lives. */
export type Snapshots = { select(plan: ScanPlan, errand: Errand): Promise<Selection> };

/** References a snapshot's views may hold, over all of them. */
const VIEW_REFERENCES_MAX = 2_000_000;

function makeView(
  plan: ScanPlan,
  records: readonly CanonicalRecord[],
  kindOf: (field: string) => FieldKind,
): View {
  const matching =
    plan.residualFilters.length === 0
      ? records
      : records.filter((record) =>
          plan.residualFilters.every(({ field, op, value }) => matches(record[field] ?? null, op, value)),
        );
  return plan.sort === null ? matching : sortRecords(matching, plan.sort, kindOf(plan.sort.field));
}

/** Creates the snapshots of one resource of one source. They hold at most `rowsMax` records, over all of them. */
export function createSnapshots(source: SourceRuntime, rowsMax: number): Snapshots {
  const snapshots = createBoundedMap<Snapshot>(rowsMax, (snapshot) => snapshot.records.length);
  const flights = createSingleFlight<Snapshot>();
  const kinds = new Map(source.resource.itemFields.map((field) => [field.name, field.kind]));
  const lifetimeMs = source.budget.snapshot * 1_000;

  async function take(plan: ScanPlan, errand: Errand): Promise<Snapshot> {
    const storedAt = source.clock.now();
    const records = await scan(source, plan, errand);
    const views = createBoundedMap<View>(VIEW_REFERENCES_MAX, (view) => view.length);
    const snapshot = { records, storedAt, views };
    snapshots.set(plan.key, snapshot, lifetimeMs - (source.clock.now() - storedAt));
    return snapshot;
  }

  return {
    async select(plan, { signal, meter }) {
      const snapshot =
        snapshots.get(plan.key) ??
        (await flights.run(plan.key, signal, (shared) => take(plan, { signal: shared, meter })));
      const viewKey = `${plan.sort === null ? '' : `${plan.sort.field} ${plan.sort.descending}`}/${filtersKey(plan.residualFilters)}`;
      let view = snapshot.views.get(viewKey);
      if (view === undefined) {
        view = makeView(plan, snapshot.records, (field) => kinds.get(field) ?? 'text');
        snapshot.views.set(viewKey, view, lifetimeMs);
      }
      return { records: view, storedAt: snapshot.storedAt };
    },
  };
}
