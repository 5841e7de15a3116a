import type { VNode } from 'preact';
import { goTo, useConsole } from '../data/console-context.ts';
import { changedQuery } from '../show/address.ts';
import {
  filteredRows,
  nextOrder,
  readOrder,
  sortedRows,
  type SortValue,
  type TableOrder,
} from '../show/table-order.ts';
import { type Children, element, html } from './html.ts';
import { emptyNote } from './marks.ts';

/** A column of a table. */
export type TableColumn<Row> = {
  readonly key: string;
  readonly title: string;
  /** A figure stands at the right, and is first sorted by its largest. */
  readonly isFigure?: boolean;
  readonly cell: (row: Row) => Children;
  /** What it is sorted by; absent: the column cannot be sorted. */
  readonly sort?: (row: Row) => SortValue;
};

/** A column that shows what it is sorted by. */
export function textColumn<Row>(key: string, title: string, of: (row: Row) => string): TableColumn<Row> {
  return { key, title, cell: of, sort: of };
}

/** A column of figures, sorted by them; `show` writes one. */
export function figureColumn<Row, Figure extends SortValue = number>(
  key: string,
  title: string,
  of: (row: Row) => Figure,
  show: (figure: Figure) => Children,
): TableColumn<Row> {
  return { key, title, isFigure: true, cell: (row) => show(of(row)), sort: of };
}

/** Order and search stand in the address, so that a link shows the same table. */
export type DataTableProps<Row> = {
  /** Part of the address: two tables of one view need two names. */
  readonly id: string;
  /** What the table holds, for those who do not see it. */
  readonly label: string;
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** The order at first, such as `-calls`. */
  readonly order: string;
  /** What a search looks through; absent: there is no search. */
  readonly textOf?: (row: Row) => string;
  /** What stands there without rows. */
  readonly empty: string;
  readonly toneOf?: (row: Row) => string;
};

function headCell<Row>(column: TableColumn<Row>, now: TableOrder, onSort: (order: string) => void): VNode {
  const isSorted = now.key === column.key;
  const order = isSorted ? (now.descending ? 'descending' : 'ascending') : 'none';
  const name = column.isFigure === true ? 'figure' : '';
  if (column.sort === undefined)
    return html`<th key=${column.key} scope="col" class=${name}>${column.title}</th>`;
  const sortBy = () => onSort(nextOrder(now, column.key, column.isFigure === true));
  return html`<th key=${column.key} scope="col" class=${name} aria-sort=${order}>
    <button type="button" onClick=${sortBy}>
      ${column.title}<i aria-hidden="true">${isSorted ? (now.descending ? '↓' : '↑') : ''}</i>
    </button>
  </th>`;
}

function bodyRow<Row>({ columns, keyOf, toneOf }: DataTableProps<Row>, row: Row): VNode {
  return html`<tr key=${keyOf(row)} class=${toneOf?.(row) ?? ''}>
    ${columns.map(({ key, title, isFigure, cell }, index) =>
      index === 0
        ? html`<th key=${key} scope="row">${cell(row)}</th>`
        : html`<td key=${key} data-title=${title} class=${isFigure === true ? 'figure' : ''}>
            <span>${cell(row)}</span>
          </td>`,
    )}
  </tr>`;
}

function DataTable<Row>(props: DataTableProps<Row>): VNode {
  const { id, label, columns, rows, order: first, textOf, empty } = props;
  const { address } = useConsole();
  const order = readOrder(address.query[`${id}.sort`], first);
  const search = address.query[`${id}.q`] ?? '';
  const column = columns.find(({ key }) => key === order.key);
  const found = textOf === undefined ? rows : filteredRows(rows, textOf, search);
  const shown = column?.sort === undefined ? found : sortedRows(found, column.sort, order.descending);
  const setQuery = (name: string, value: string) =>
    goTo(changedQuery(address, { [`${id}.${name}`]: value }), true);
  return html`<div class="table-part">
    ${
      textOf !== undefined &&
      (rows.length > 5 || search !== '') &&
      html`<p class="table-tools">
        <input
          type="search"
          aria-label=${`Search ${label}`}
          placeholder=${`Search ${label}`}
          value=${search}
          onInput=${(event: Event) => setQuery('q', (event.target as HTMLInputElement).value)}
        />
        <small class="num" aria-live="polite"
          >${shown.length === rows.length ? `${rows.length}` : `${shown.length} of ${rows.length}`}</small
        >
      </p>`
    }
    ${
      shown.length === 0
        ? emptyNote(rows.length === 0 ? empty : `Nothing of ${label} has “${search}” in it.`)
        : html`<div class="table-box" tabindex="0" role="group" aria-label=${label}>
            <table aria-label=${label}>
              <thead>
                <tr>
                  ${columns.map((one) => headCell(one, order, (value) => setQuery('sort', value)))}
                </tr>
              </thead>
              <tbody>
                ${shown.map((row) => bodyRow(props, row))}
              </tbody>
            </table>
          </div>`
    }
  </div>`;
}

/** A table that sorts and filters; both stand in the address. On a narrow page its rows are cards. */
export function dataTable<Row>(props: DataTableProps<Row>): VNode {
  return element(DataTable<Row>, { ...props, key: props.id });
}
