/** The templates of a `sort` section, as far as a second column can follow the first. */
type SortTemplates = {
  readonly query?: Readonly<Record<string, string>>;
  readonly expr?: string | undefined;
  readonly ascending?: string;
  readonly tiebreak?: unknown;
};

/** What a `sort` section has to say for a second column: the template with its place, and its text. */
export type TiebreakSection = {
  /** The keys of the template below `sort`. */
  readonly at: readonly string[];
  readonly template: string;
  readonly tiebreak: string;
};

/** A column and perhaps a direction, and nothing that must stand only once. */
const LISTABLE = /^(?:\{direction\})?\{column\}(?:[ .:|]?\{direction\})?$/;

/**
 * The id as the second column, in the way in which the first is written: `sort=mail,id`, `order=mail.asc,id.asc`;
 * `undefined` if the templates have no place for it, or a tiebreak already.
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
