import type { HttpReply } from '../upstream/scripted-upstream.ts';
import { type Capabilities, FIELDS, isLacking, nativeValue, type Row } from './capabilities.ts';

/** What a reply tells besides its rows. */
export type Extras = {
  readonly total?: number;
  readonly bounded?: boolean;
  readonly next?: string | undefined;
};

const TYPES = {
  json: 'application/json',
  xml: 'text/xml; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson',
} as const;

/** Whether numbers are numbers, rather than text, in the source's rows. */
function isRaw({ ids }: Capabilities, name: string): boolean {
  return name === 'price' || name === 'gone' || (name === 'key' && ids === 'number');
}

function cells(can: Capabilities, { native, record, hidden }: Row): [string, string | null][] {
  return [
    ['key', native],
    ...(can.marks ? [['gone', String(hidden)] as [string, string]] : []),
    ...FIELDS[can.resource]
      .filter((name) => !isLacking(can, name))
      .map((name): [string, string | null] => [name, nativeValue(can, name, record[name] ?? null)]),
  ];
}

/** The rows of a JSON list, in the source's form. */
function jsonRows(can: Capabilities, rows: readonly Row[]): string {
  const written = rows.map((row) => jsonRow(can, row));
  const parsed = rows.map((row) => jsonCells(can, row));
  const names = cells(can, rows[0] ?? NO_ROW).map(([name]) => name);
  switch (can.rows) {
    case 'list':
      return `"rows":[${written.join(',')}]`;
    case 'nodes':
      return `"rows":[${written.map((row) => `{"cursor":1,"node":${row}}`).join(',')}]`;
    case 'map':
      // Some languages write an empty map as a list.
      return rows.length === 0
        ? '"rows":[]'
        : `"rows":{${written.map((row, index) => `"r${index}":${row}`).join(',')}}`;
    case 'table':
      return `"head":${JSON.stringify(names.map((name) => ({ name })))},"rows":[${parsed
        .map((row) => `[${row.map(([, value]) => value).join(',')}]`)
        .join(',')}]`;
    case 'columns':
      return `"rows":{${names
        .map((name, index) => `${JSON.stringify(name)}:[${parsed.map((row) => row[index]?.[1]).join(',')}]`)
        .join(',')}}`;
  }
}

const NO_ROW: Row = { native: '', record: { id: '' }, hidden: false };

/** The cells of a row, each value as JSON. */
function jsonCells(can: Capabilities, row: Row): [string, string][] {
  return cells(can, row).map(([name, value]) => [
    name,
    value !== null && isRaw(can, name) ? value : JSON.stringify(value),
  ]);
}

function jsonRow(can: Capabilities, row: Row): string {
  const members = jsonCells(can, row).map(([name, value]) => `${JSON.stringify(name)}:${value}`);
  return `{${members.join(',')},"password":"canary"}`;
}

const xmlText = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll(']]>', ']]&gt;').replaceAll('é', '&#233;');

function xmlRow(can: Capabilities, row: Row): string {
  const elements = cells(can, row).flatMap(([name, value]) =>
    value === null ? [] : [`<m:${name}>${xmlText(value)}</m:${name}>`],
  );
  return `<m:row xsi="x">${elements.join('')}<secret>canary</secret></m:row>`;
}

function csvTable(can: Capabilities, rows: readonly Row[]): string {
  const quote = (text: string) => (/[";\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const head = [...cells(can, NO_ROW).map(([name]) => name), 'password'];
  const lines = rows.map((row) =>
    [...cells(can, row).map(([, value]) => quote(value ?? '')), 'canary'].join(';'),
  );
  return `\ufeff${[head.join(';'), ...lines].join('\r\n')}\r\n`;
}

function members({ total, bounded, next }: Extras): [string, string | number][] {
  return [
    ...(total === undefined ? [] : [['total', total] as [string, number]]),
    ...(bounded === undefined ? [] : [['relation', bounded ? 'gte' : 'eq'] as [string, string]]),
    ...(next === undefined ? [] : [['next', next] as [string, string]]),
  ];
}

/** The body of a list. */
export function listText(can: Capabilities, rows: readonly Row[], extras: Extras): string {
  switch (can.format) {
    case 'json': {
      const more = members(extras).map(
        ([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`,
      );
      return `{${jsonRows(can, rows)}${more.join('')}}`;
    }
    case 'xml': {
      const more = members(extras).map(([name, value]) => `<${name}>${value}</${name}>`);
      const list =
        rows.length === 0
          ? '<m:rows/>'
          : `<m:rows>\n${rows.map((row) => xmlRow(can, row)).join('\n')}</m:rows>`;
      return `<?xml version="1.0"?><m:reply xmlns:m="urn:model">${more.join('')}${list}</m:reply>`;
    }
    case 'csv':
      return csvTable(can, rows);
    case 'ndjson':
      return rows.map((row) => `${jsonRow(can, row)}\n`).join('');
  }
}

/** The body of a count. */
export function countText({ format }: Capabilities, count: number): string {
  if (format === 'csv') return `n\r\n${count}\r\n`;
  return format === 'xml' ? `<count><n>${count}</n></count>` : `{"n":${count}}`;
}

/** The body of a single record. */
export function itemText(does: Capabilities, row: Row): string {
  const can: Capabilities = { ...does, lacks: 'nothing' };
  if (can.format === 'json')
    return can.missing === '200 []' ? `[${jsonRow(can, row)}]` : `{"item":${jsonRow(can, row)}}`;
  return can.format === 'xml' ? `<reply><item>${xmlRow(can, row)}</item></reply>` : listText(can, [row], {});
}

/** A reply with a body in the source's format. */
export function replyWith(can: Capabilities, text: string, more: HttpReply = {}): HttpReply {
  return { ...more, headers: { 'Content-Type': TYPES[can.format], ...more.headers }, body: text };
}

/** Says that there is no such record, in the source's own way. */
export function missingReply(can: Capabilities): HttpReply {
  const xml = can.format === 'xml';
  switch (can.missing) {
    case '404':
      return { status: 404, headers: { 'Content-Type': 'text/html' }, body: '<h1>canary</h1>' };
    case 'empty 404':
      return { status: 404 };
    case '403':
      return replyWith(can, xml ? '<error/>' : '{"error":"canary"}', { status: 403 });
    case '200 null':
      return replyWith(can, 'null');
    case '200 []':
      return replyWith(can, can.format === 'json' ? '[]' : listText(can, [], {}));
    case '200 code':
      return replyWith(can, xml ? '<reply><rc>44</rc></reply>' : '{"rc":44}');
    case '500 fault': {
      const fault = 'E0404 no row';
      return replyWith(can, xml ? `<reply><fault>${fault}</fault></reply>` : `{"fault":"${fault}"}`, {
        status: 500,
      });
    }
  }
}
