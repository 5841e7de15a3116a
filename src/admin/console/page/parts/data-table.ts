// The table of the console: columns, sorting, search and pages, for all views.

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
import type { Instant } from '../show/times.ts';
import { type Children, element, html } from './html.ts';
import { emptyNote, timeMark } from './marks.ts';

/** A column of a table. */
export type TableColumn<Row> = {
  readonly key: string;
  readonly title: string;
  /** A column of numbers is aligned right, and is sorted by the largest first. */
  readonly isNumber?: boolean;
  readonly cell: (row: Row) => Children;
  /** The value by which rows are sorted. Absent: the column cannot be sorted. */
  readonly sort?: (row: Row) => SortValue;
};

/** A column that is sorted by a field of the row, and shows it; `cell` draws it in another way. */
export function fieldColumn<Row>(
  key: keyof Row & string,
  title: string,
  cell: (row: Row) => Children = (row) => row[key] as Children,
): TableColumn<Row> {
  return { key, title, cell, sort: (row) => row[key] as SortValue };
}

/** A column that is sorted by a value that is computed from the row. */
export function textColumn<Row>(
  key: string,
  title: string,
  of: (row: Row) => SortValue,
  cell: (row: Row) => Children = of,
): TableColumn<Row> {
  return { key, title, cell, sort: of };
}

/** A column of instants in a field of the row. */
export function timeColumn<Row>(key: keyof Row & string, title: string, now: number): TableColumn<Row> {
  return { ...fieldColumn<Row>(key, title, (row) => timeMark(row[key] as Instant, now)), isNumber: true };
}

/** A column of numbers that is sorted by them; `show` draws a number. */
export function numberColumn<Row, Value extends SortValue>(
  key: string,
  title: string,
  of: (row: Row) => Value,
  show: (value: Value, row: Row) => Children,
): TableColumn<Row> {
  return { key, title, isNumber: true, cell: (row) => show(of(row), row), sort: of };
}

/**
 * The column with the button that changes a row; no column if `change` is absent, because the user may only read. A row
 * that `nameOf` gives no name has no button.
 */
export function buttonColumn<Row>(
  verb: string,
  nameOf: (row: Row) => string | undefined,
  change: ((row: Row) => void) | undefined,
): readonly TableColumn<Row>[] {
  if (change === undefined) return [];
  const cell = (row: Row) => {
    const name = nameOf(row);
    if (name === undefined) return '';
    return html`<button type="button" onClick=${() => change(row)}>
      ${verb}<span class="hidden"> ${name}</span>
    </button>`;
  };
  return [{ key: 'do', title: 'Change', cell }];
}

/** What a table shows. Its order and its search are part of the address, so a link shows the same table. */
export type DataTableProps<Row> = {
  /** The name of the table in the address. Two tables of one view need two names. */
  readonly id: string;
  /** What the table contains, for screen readers. */
  readonly label: string;
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** The order at first, such as `-calls`. */
  readonly order: string;
  /** The text of a row that a search looks through. Absent: there is no search. */
  readonly textOf?: (row: Row) => string;
  /** The text of a table without rows. */
  readonly empty: string;
  readonly toneOf?: (row: Row) => string;
};

function headCell<Row>(column: TableColumn<Row>, now: TableOrder, onSort: (order: string) => void): VNode {
  const isSorted = now.key === column.key;
  const order = isSorted ? (now.descending ? 'descending' : 'ascending') : 'none';
  const name = column.isNumber === true ? 'number' : '';
  if (column.sort === undefined)
    return html`<th key=${column.key} scope="col" class=${name}>${column.title}</th>`;
  const sortBy = () => onSort(nextOrder(now, column.key, column.isNumber === true));
  return html`<th key=${column.key} scope="col" class=${name} aria-sort=${order}>
    <button type="button" onClick=${sortBy}>
      ${column.title}<i aria-hidden="true">${isSorted ? (now.descending ? '↓' : '↑') : ''}</i>
    </button>
  </th>`;
}

function bodyRow<Row>({ columns, keyOf, toneOf }: DataTableProps<Row>, row: Row): VNode {
  return html`<tr key=${keyOf(row)} class=${toneOf?.(row) ?? ''}>
    ${columns.map(({ key, title, isNumber, cell }, index) =>
      index === 0
        ? html`<th key=${key} scope="row">${cell(row)}</th>`
        : html`<td key=${key} data-title=${title} class=${isNumber === true ? 'number' : ''}>
            <span>${cell(row)}</span>
          </td>`,
    )}
  </tr>`;
}

const NARROW = '(max-width: 40rem)';

/** How many rows a page of a table has; fewer on a narrow page, where rows are cards. */
const rowsOfPage = () => (window.matchMedia(NARROW).matches ? 20 : 100);

function pageLinks(page: number, pages: number, label: string, linkTo: (page: number) => string): VNode {
  const link = (to: number, text: string) =>
    to >= 0 && to < pages ? html`<a href=${linkTo(to)}>${text}</a>` : html`<span>${text}</span>`;
  return html`<p class="pages" role="group" aria-label=${`Pages of ${label}`}>
    ${link(page - 1, 'Previous')}
    <span class="num">Page ${page + 1} of ${pages}</span> ${link(page + 1, 'Next')}
  </p>`;
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
    goTo(changedQuery(address, { [`${id}.${name}`]: value, [`${id}.page`]: '' }), true);
  const size = rowsOfPage();
  const pages = Math.ceil(shown.length / size);
  const page = Math.max(0, Math.min(pages, Number(address.query[`${id}.page`]) || 1) - 1);
  const pageRows = pages > 1 ? shown.slice(page * size, (page + 1) * size) : shown;
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
                ${pageRows.map((row) => bodyRow(props, row))}
              </tbody>
            </table>
          </div>`
    }
    ${
      pages > 1 &&
      pageLinks(page, pages, label, (to) =>
        changedQuery(address, { [`${id}.page`]: to === 0 ? '' : String(to + 1) }),
      )
    }
  </div>`;
}

/** A table that can be sorted and searched. On a narrow page, its rows are cards. */
export function dataTable<Row>(props: DataTableProps<Row>): VNode {
  return element(DataTable<Row>, { ...props, key: props.id });
}
