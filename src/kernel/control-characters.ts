const CONTROL = /\p{Cc}/u;
/** Tabs and line breaks are control characters, too, but texts may well hold them. */
const UNPRINTABLE = /[\p{Cc}--[\t\n\r]]/v;

/** Whether a text holds a control character (Unicode category Cc): U+0000 to U+001F and U+007F to U+009F. */
export function hasControl(text: string): boolean {
  return CONTROL.test(text);
}

/** Whether a text holds a control character other than a tab or a line break. */
export function hasUnprintable(text: string): boolean {
  return UNPRINTABLE.test(text);
}
