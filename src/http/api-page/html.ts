// Makes HTML for the API page: sentences of texts that may hold anything, such as the descriptions of a contract file, and
// tables of cells that are HTML already.

import { escapeXml } from '../../kernel/escape-xml.ts';

/** Escapes a text for HTML. Words between backticks become code. */
export function proseHtml(text: string): string {
  return escapeXml(text).replaceAll(/`([^`]*)`/g, '<code>$1</code>');
}

/**
 * A table that scrolls by itself if it is wider than the page. Its cells are HTML; the first of a row is its header. A narrow
 * page has the cells of a row below each other, so each has the name of its column.
 */
export function table(label: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = rows.map(([first = '', ...others]) => {
    const cells = others.map((cell, index) => `<td data-column="${head[index + 1]}">${cell}</td>`).join('');
    return `<tr><th scope="row">${first}</th>${cells}</tr>`;
  });
  return `<div class="wide" tabindex="0" role="group" aria-label="${escapeXml(label)}, a table"><table>
<thead><tr>${head.map((column) => `<th scope="col">${column}</th>`).join('')}</tr></thead>
<tbody>
${lines.join('\n')}
</tbody>
</table></div>`;
}
