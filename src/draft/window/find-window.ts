import type { Dialect } from '../dialects/dialect.ts';
import { wholeNumber } from '../json-values.ts';
import type { Lister, Listing } from '../ask/list-view.ts';
import { fold } from '../path-text.ts';
import { envelopeOf, findNext, type NextForm } from './probe-next.ts';
import { meetStranger, type Stranger } from './probe-parameter.ts';
import { findLargest, findSize, type Largest, type SizeParameter } from './probe-size.ts';
import { findStart } from './probe-start.ts';
import { type Place, type Recipe, withValue } from '../ask/request-template.ts';
import type { Numbered } from '../ask/walk-list.ts';
import { type Candidate, candidatesFor } from './window-names.ts';

/** How a service gives its rows, as far as it was seen. */
export type FoundWindow =
  | { readonly kind: 'numbered'; readonly numbered: Numbered; readonly largest: Largest | undefined }
  | {
      readonly kind: 'next';
      readonly form: NextForm;
      readonly size: SizeParameter | undefined;
      readonly largest: Largest | undefined;
      readonly recipe: Recipe;
    }
  /** No parameter and no link changed anything: all rows, or a part that cannot be left. */
  | { readonly kind: 'none' }
  /** Too few rows, or no service to ask. */
  | { readonly kind: 'unseen' };

type Context = {
  readonly lister: Lister;
  readonly recipe: Recipe;
  readonly base: Listing;
  readonly dialect: Dialect | undefined;
  readonly baseUrl: string;
};

/** The page size that a reply tells, where no parameter changes it. */
export function echoedSize(listing: Listing): number | undefined {
  const names = ['perpage', 'pagesize', 'limit', 'itemsperpage', 'size'];
  const leaf = envelopeOf(listing).find(({ name }) =>
    names.includes(fold(name.slice(name.lastIndexOf('.') + 1))),
  );
  return wholeNumber(leaf?.value);
}

const samePlace = (a: Place, b: Place) => JSON.stringify(a) === JSON.stringify(b);

/** Rows enough to tell windows apart: the first reply's, or those of the largest window. */
function reference(base: Listing, largest: Largest | undefined): Listing {
  const wide = largest?.listing;
  return wide !== undefined && wide.rows.length > base.rows.length ? wide : base;
}

async function findNumbered(
  { lister, recipe, base, dialect }: Context,
  size: SizeParameter | undefined,
  largest: Largest | undefined,
  stranger: Stranger,
): Promise<FoundWindow | undefined> {
  const candidates = candidatesFor('start', recipe, dialect?.paging?.start).filter(
    ({ place }) => size === undefined || !samePlace(place, size.place),
  );
  const rows = reference(base, largest);
  const sized = (count: number) => (size === undefined ? recipe : withValue(recipe, size.place, count));
  const [smallest = 1, ...larger] = size?.allowed ?? [1, 2];
  const narrow = size === undefined ? base.rows.length : smallest;
  const wide =
    size === undefined || size.allowed !== undefined ? narrow : rows.ids.length > 2 ? (larger[0] ?? 1) : 1;
  const start = await findStart(lister, {
    candidates,
    stranger,
    base: rows,
    narrow: sized(narrow),
    wide: sized(wide),
    size: wide,
  });
  // Windows by rows need a size: asked for ten rows, the service would give as many as it likes.
  const takesAnySize = size !== undefined && size.allowed === undefined;
  if (start === undefined || (start.kind === 'offset' && !takesAnySize)) return undefined;
  const known =
    largest?.cut === true ? (largest.listing?.rows.length ?? 1) : (largest?.size ?? base.rows.length);
  return { kind: 'numbered', numbered: { recipe, size, start, rows: Math.max(1, known) }, largest };
}

async function findFollowing(
  { lister, recipe, base, dialect, baseUrl }: Context,
  size: SizeParameter | undefined,
  largest: Largest | undefined,
): Promise<FoundWindow | undefined> {
  const cursors = candidatesFor('cursor', recipe, dialect?.paging?.cursor);
  const few = size === undefined ? recipe : withValue(recipe, size.place, size.allowed?.[0] ?? 1);
  const listing = size === undefined ? base : (await lister.list(few)).listing;
  if (listing === undefined) return undefined;
  const form = await findNext(lister, few, listing, { baseUrl, cursors });
  return form && { kind: 'next', form, size, largest, recipe };
}

/** Whether the first size asked for was also what came: two sizes below each other, and the larger not cut. */
async function sizesOf(
  context: Context,
  candidates: readonly Candidate[],
  stranger: Stranger,
): Promise<{ size: SizeParameter | undefined; largest: Largest | undefined }> {
  const { lister, recipe, base } = context;
  const size = await findSize(lister, recipe, base, { candidates, stranger });
  return { size, largest: size && (await findLargest(lister, recipe, size)) };
}

/** Finds out how a service gives its rows, by asking for a few of them in different ways. */
export async function findWindow(context: Context): Promise<FoundWindow> {
  const { lister, recipe, base, dialect } = context;
  if (base.rows.length < 2 || lister.asker.left < 10) return { kind: 'unseen' };
  const stranger = await meetStranger(lister, recipe, base);
  const sizes = candidatesFor('size', recipe, dialect?.paging?.size);
  const { size, largest } = await sizesOf(context, sizes, stranger);
  const follows = dialect?.paging?.kind === 'link' || dialect?.paging?.kind === 'cursor';
  const numbered = () => findNumbered(context, size, largest, stranger);
  const following = () => findFollowing(context, size, largest);
  const [first, second] = follows ? [following, numbered] : [numbered, following];
  return (await first()) ?? (await second()) ?? { kind: 'none' };
}
