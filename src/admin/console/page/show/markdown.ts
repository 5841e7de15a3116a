// Reads the few marks of Markdown that the runbook uses, for its dialog. The page makes text nodes of the result, never
// markup.

/** A part of a line. */
export type Piece = { readonly kind: 'text' | 'code' | 'strong'; readonly text: string };

/** A paragraph, an item of a list, or a block of code. */
export type Block =
  | { readonly kind: 'paragraph' | 'item'; readonly pieces: readonly Piece[] }
  | { readonly kind: 'pre'; readonly text: string };

/** The parts of a line. A link becomes its text, because its target is in the repository. */
function piecesOf(line: string): readonly Piece[] {
  const plain = line.replace(/\[([^\]]{1,200})\]\([^)]{0,300}\)/g, '$1');
  return plain.split(/(`[^`]+`|\*\*[^*]+\*\*)/).flatMap((text): Piece[] => {
    if (text === '') return [];
    if (text.length > 2 && text.startsWith('`')) return [{ kind: 'code', text: text.slice(1, -1) }];
    if (text.length > 4 && text.startsWith('**')) return [{ kind: 'strong', text: text.slice(2, -2) }];
    return [{ kind: 'text', text }];
  });
}

/** The blocks of a text. */
export function readMarkdown(text: string): readonly Block[] {
  const blocks: Block[] = [];
  for (const [index, part] of text.split(/^```[a-z]*\n?/m).entries()) {
    if (index % 2 === 1) {
      blocks.push({ kind: 'pre', text: part.replace(/\n$/, '') });
      continue;
    }
    // `**Look at:**` begins a paragraph of its own in the runbook, without a blank line before it.
    for (const paragraph of part.split(/\n\s*\n|\n(?=[-*] |\*\*[A-Z][^*]*:\*\*)/)) {
      const line = paragraph
        .split('\n')
        .map((part) => part.trim())
        .join(' ')
        .trim();
      if (line === '') continue;
      const isItem = /^[-*] /.test(line);
      blocks.push({ kind: isItem ? 'item' : 'paragraph', pieces: piecesOf(isItem ? line.slice(2) : line) });
    }
  }
  return blocks;
}
