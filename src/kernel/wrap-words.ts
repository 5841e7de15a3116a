/** Breaks a text at blanks into lines of at most `width` characters. The first line begins with `head`, the others with `indent`. */
export function wrapWords(text: string, width: number, head = '', indent = ''): readonly string[] {
  const lines: string[] = [];
  let line = head;
  let isBare = true;
  for (const word of text.split(' ')) {
    if (!isBare && line.length + word.length + 1 > width) {
      lines.push(line);
      line = indent + word;
    } else line += isBare ? word : ` ${word}`;
    isBare = false;
  }
  return [...lines, line];
}
