// Drafts a tiebreak by id (a second column of a sort, for rows equal in the first), for `infer` and `doctor`.

/** The parts of a `sort` section that matter for a tiebreak. */
type SortTemplates = {
  readonly query?: Readonly<Record<string, string>>;
  readonly expr?: string | undefined;
  readonly ascending?: string;
  readonly tiebreak?: unknown;
};

/** The tiebreak to write into a `sort` section. */
export type TiebreakSection = {
  /** The keys of the template below `sort`. */
  readonly at: readonly string[];
  readonly template: string;
  readonly tiebreak: string;
};

/** A column and perhaps a direction, and nothing else, so that the template can be repeated after a comma. */
const LISTABLE = /^(?:\{direction\})?\{column\}(?:[ .:|]?\{direction\})?$/;

/**
 * Drafts the id as the second column, written like the first column: `sort=mail,id`, `order=mail.asc,id.asc`. `undefined` if the
 * templates have no place for it, or there is a tiebreak already.
 */
export function idAsTiebreak(sort: SortTemplates, idColumn: string): TiebreakSection | undefined {
  const { query = {}, expr, ascending = 'asc' } = sort;
  if (sort.tiebreak !== undefined) return undefined;
  const [name, inQuery = ''] = Object.entries(query).find(([, text]) => text.includes('{column}')) ?? [];
  const text = (expr ?? inQuery).replace(/\{tiebreak\}$/, '');
  if (!LISTABLE.test(text)) return undefined;
  return {
    at: expr === undefined ? ['query', name ?? ''] : ['expr'],
    template: `${text}{tiebreak}`,
    tiebreak: `,${text.replace('{column}', idColumn).replace('{direction}', ascending)}`,
  };
}
