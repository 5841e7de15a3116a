// Reads a reply that the operator has saved to a file, from which `infer --sample` drafts without a service.

import type { UpstreamReply } from '../../../kernel/upstream-call.ts';

const TYPES: Readonly<Record<string, string>> = {
  json: 'application/json',
  xml: 'application/xml',
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
};

function replyWith(status: number, headers: ReadonlyMap<string, string>, body: Buffer): UpstreamReply {
  return { status, header: (name) => headers.get(name), body };
}

/**
 * Reads a saved reply. The file holds a body alone, with the type given by the file's extension, or a body after status
 * line and headers, as `curl -i` writes it.
 */
export function readSample(file: string, bytes: Buffer): UpstreamReply {
  const text = bytes.toString('latin1');
  const status = /^HTTP\/[\d.]+ (\d{3})[^\n]*\r?\n/.exec(text);
  const end = /\r?\n\r?\n/.exec(text);
  if (status !== null && end !== null) {
    const lines = text.slice(status[0].length, end.index).split(/\r?\n/);
    const headers = lines.map((line) => {
      const [name = '', ...value] = line.split(':');
      return [name.trim().toLowerCase(), value.join(':').trim()] as const;
    });
    return replyWith(Number(status[1]), new Map(headers), bytes.subarray(end.index + end[0].length));
  }
  const ending = /\.(\w+)$/.exec(file)?.[1]?.toLowerCase() ?? '';
  const start = text.trimStart()[0] ?? '';
  const guess = start === '<' ? TYPES['xml'] : start === '{' || start === '[' ? TYPES['json'] : TYPES['csv'];
  return replyWith(200, new Map([['content-type', TYPES[ending] ?? guess ?? '']]), bytes);
}
