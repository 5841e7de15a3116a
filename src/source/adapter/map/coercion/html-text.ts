// Makes plain text of HTML and of escaped text, for the steps `stripHtml` and `unescape`.

/** Names of the characters U+00A0 to U+00FF, in order (HTML 4.01, section 24.2.1). */
const LATIN1 =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml';

/** Further names that text editors write. */
const OTHERS: Readonly<Record<string, string>> = {
  ...{ OElig: 'Œ', oelig: 'œ', Scaron: 'Š', scaron: 'š', Yuml: 'Ÿ', fnof: 'ƒ', circ: 'ˆ', tilde: '˜' },
  ...{ ensp: '\u2002', emsp: '\u2003', thinsp: '\u2009', zwnj: '\u200c', zwj: '\u200d' },
  ...{ ndash: '–', mdash: '—', lsquo: '‘', rsquo: '’', sbquo: '‚', ldquo: '“', rdquo: '”', bdquo: '„' },
  ...{ dagger: '†', Dagger: '‡', bull: '•', hellip: '…', permil: '‰', lsaquo: '‹', rsaquo: '›' },
  ...{ euro: '€', trade: '™', minus: '−', larr: '←', uarr: '↑', rarr: '→', darr: '↓' },
};

const MARKUP: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const CHARACTERS = new Map([
  ...LATIN1.split(' ').map((name, index) => [name, String.fromCharCode(0xa0 + index)] as const),
  ...Object.entries(OTHERS),
  ...Object.entries(MARKUP),
]);

/** Replaces character references in `text`: numeric ones, and those that `named` knows. */
function fillIn(text: string, named: (name: string) => string | undefined): string {
  return text.replaceAll(
    /&(?:([A-Za-z][A-Za-z0-9]{1,9})|#(\d{1,7})|#[xX]([\da-fA-F]{1,6}));/g,
    (whole, name, tens, hex) => {
      if (typeof name === 'string') return named(name) ?? whole;
      const code = typeof tens === 'string' ? Number(tens) : Number.parseInt(hex as string, 16);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}

/**
 * Reverses HTML escaping: replaces references to the characters with a meaning in HTML, and numeric ones. Other
 * references and tags are left as text.
 */
export function unescapeHtml(text: string): string {
  return fillIn(text, (name) => (Object.hasOwn(MARKUP, name) ? MARKUP[name] : undefined));
}

/** A comment, a declaration or a tag, even if cut off; quoted attributes may hold `>` (HTML, section 13.2.5). */
const TAG =
  /<!--[^]*?(?:-->|$)|<[!?][^>]*(?:>|$)|<(\/?[A-Za-z][^\s/>]*)(?:"[^"]*"|'[^']*'|[^>"'])*(?:>|["'][^]*$|$)/g;
/** Inline elements; the text of all others is separated from the text around them. */
const INLINE =
  /^(?:a|abbr|acronym|b|bdi|bdo|big|cite|code|data|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strike|strong|sub|sup|time|tt|u|var|wbr)$/i;
/** Elements whose content readers do not see. */
const HIDDEN = /^(?:script|style|template|title|noscript|iframe)$/i;

/** The index at which the content of a hidden element ends. */
function endOfHidden(html: string, name: string, from: number): number {
  const end = new RegExp(`</${name}(?=[\\s/>])`, 'gi');
  end.lastIndex = from;
  return end.exec(html)?.index ?? html.length;
}

/**
 * The text of a piece of HTML as one line: no tags, comments, scripts or styles; a space between block elements, runs
 * of white space collapsed, references replaced. The result is text, not safe HTML.
 */
export function htmlText(html: string): string {
  let text = '';
  let from = 0;
  const tags = new RegExp(TAG);
  for (let tag = tags.exec(html); tag !== null; tag = tags.exec(html)) {
    const name = tag[1] ?? '';
    text += html.slice(from, tag.index);
    if (name !== '' && !INLINE.test(name.replace('/', ''))) text += ' ';
    from = tag.index + tag[0].length;
    if (HIDDEN.test(name)) tags.lastIndex = from = endOfHidden(html, name, from);
  }
  text += html.slice(from);
  // White space that is written as a reference is part of the text, so it is kept.
  return fillIn(text.replaceAll(/[ \t\r\n\f]+/g, ' ').trim(), (name) => CHARACTERS.get(name));
}
