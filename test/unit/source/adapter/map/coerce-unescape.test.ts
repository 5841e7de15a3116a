import fc from 'fast-check';
import { compileStep } from '../../../../../src/source/adapter/map/coercion/coerce.ts';

const { run } = compileStep('unescape');

describe('unescape', () => {
  it.each([
    ['Home &amp; Garden', 'Home & Garden'],
    ['&lt;b&gt; &quot;x&quot; &apos;y&apos; &#039;z&#x27;', `<b> "x" 'y' 'z'`],
    ['&amp;lt;', '&lt;'],
    ['Caf&eacute; &nbsp; &;', 'Caf&eacute; &nbsp; &;'],
    ['&#0; &#1114112; &#xffffff;', '&#0; &#1114112; &#xffffff;'],
    ['&#128512;', '😀'],
    ['AT&T', 'AT&T'],
  ])('%s is %s', (escaped, text) => expect(run(escaped)).toBe(text));

  it('gives back every text that was escaped', () => {
    const escape = (text: string) =>
      text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&#034;');
    fc.assert(fc.property(fc.string(), (text) => expect(run(escape(text))).toBe(text)));
  });

  it('leaves what is unknown unknown', () => expect(run(null)).toBeNull());
});
