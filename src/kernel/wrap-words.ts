// Breaks texts into lines of a width, for terminals and for the comments of drafts.

const WORD_START = /(?<= )(?! )/;
/** A long list without blanks may be broken after its commas; but not in the query of a URL, because that is copied. */
const PART_START = /(?<=,)(?!$| )(?<!\?[^"]*)/;

/** How many characters the longest part of a text has that is left whole. */
export function longestWord(text: string): number {
  const parts = text.split(WORD_START).flatMap((word) => word.split(PART_START));
  return Math.max(...parts.map((part) => part.trimEnd().length));
}

/** Breaks a text at blanks into lines of at most `width` characters. The first line begins with `head`, the others with `indent`. */
export function wrapWords(text: string, width: number, head = '', indent = ''): readonly string[] {
  const room = width - indent.length;
  const lines: string[] = [];
  let line = head;
  let isBare = true;
  for (const word of text.split(WORD_START))
    for (const part of word.trimEnd().length > room ? word.split(PART_START) : [word]) {
      if (!isBare && line.length + part.trimEnd().length > width) {
        lines.push(line.trimEnd());
        line = indent;
      }
      line += part;
      isBare &&= part.trim() === '';
    }
  return [...lines, line];
}
