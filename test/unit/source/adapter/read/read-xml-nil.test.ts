import { compileXmlReader } from '../../../../../src/source/adapter/read/read-xml.ts';

const read = compileXmlReader([]);
const XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';

describe('an element with xsi:nil', () => {
  it.each(['true', '1'])('is null where that is %s', (nil) => {
    expect(read(`<r ${XSI}><a xsi:nil="${nil}"/><b>1</b></r>`)).toEqual({ r: { a: null, b: '1' } });
  });

  it('is itself where that is false', () => {
    expect(read(`<r ${XSI}><a xsi:nil="false">x</a></r>`)).toEqual({
      r: { a: { '@nil': 'false', '#text': 'x' } },
    });
  });
});
