import fc from 'fast-check';
import { htmlText } from '../../../../../src/source/adapter/map/coercion/html-text.ts';
import { finishes } from '../../../../support/time/finishes.ts';

describe('the text of HTML', () => {
  it.each([
    ['plain', 'plain'],
    ['', ''],
    ['<p>One</p><p>two</p>', 'One two'],
    ['one<br>two<br/>three', 'one two three'],
    ['a <b>bo</b>ld word', 'a bold word'],
    ['<ul>\n <li>One</li>\n <li>Two</li>\n</ul>', 'One Two'],
    ['<a href="x>y" title=\'a>b\'>link</a>', 'link'],
    ['<p class=a data-x="<b>">x</p>', 'x'],
    ['a<!-- <b>no</b> -->b', 'ab'],
    ['a<!-- never ends', 'a'],
    ['a<script>if (a < b) { x("</p>") }</script>b', 'a b'],
    ['a<STYLE>p > b {}</STYLE >b', 'a b'],
    ['a<script>never ends', 'a'],
    ['a<p never ends', 'a'],
    ['a<p title="never ends>b', 'a'],
    ['<!DOCTYPE html><?xml x?>x', 'x'],
    ['1 < 2 and 3 > 2', '1 < 2 and 3 > 2'],
    ['a <3 b, a<= b', 'a <3 b, a<= b'],
    ['Caf&eacute; &amp; Bar&nbsp;&#8211; &hellip; 5&euro;', 'Café & Bar\u00a0– … 5€'],
    ['&lt;b&gt; stays text', '<b> stays text'],
    // The first `<` begins no tag (HTML, section 13.2.5.6), so it is text, whatever is left beside it.
    ['<<!</script>a>', '<a>'],
    ['<<b>i>', '<i>'],
    ['&amp;lt;', '&lt;'],
    ['&constructor; &nosuch; &', '&constructor; &nosuch; &'],
    ['&yuml;&iexcl;&szlig;&times;', 'ÿ¡ß×'],
  ])('%j is %j', (html, text) => expect(htmlText(html)).toBe(text));

  it('holds no tag that was one in the HTML, whatever the tags were', () => {
    const piece = fc.constantFrom(
      '<',
      '>',
      '"',
      "'",
      'p',
      '/',
      '!',
      '-',
      ' ',
      'script',
      '=',
      'a',
      '<p>',
      '</script>',
      '<!--',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const html = pieces.join('');
        // A `<` that is text, with markup after it, may look like a tag once that is gone.
        fc.pre(!/<<[!?/A-Za-z]/.test(html));
        expect(htmlText(html)).not.toMatch(/<[A-Za-z][^<>"']*>/);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(['<a "', '<a x="">', '<!--', '<script>', '</script', '<p>', '&amp;', '<a \'"', '<!'])(
    'is found in linear time: %j many times',
    (piece) => {
      const html = piece.repeat(200_000);
      expect(finishes(() => typeof htmlText(html))).toBe('string');
    },
  );
});
