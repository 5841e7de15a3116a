import fc from 'fast-check';
import { DateTime } from 'luxon';
import { momentForm } from '../../../../src/workbench/infer/map/moment-form.ts';

const date = (format: string) => [{ date: { format, zone: 'UTC' } }];

describe('the form of moments', () => {
  it.each([
    ['2020-05-01T00:00:00Z', ['iso8601'], false],
    ['2019-03-04T08:15:30.000+0000', ['iso8601'], false],
    ['/Date(1588291200000+0000)/', ['dotnetDate'], false],
    ['1588291200', ['epochSeconds'], false],
    ['1588291200000', ['epochMilliseconds'], false],
    ['20200501', date('yyyyMMdd'), true],
    ['20200131093000Z', date("yyyyMMddHHmmss'Z'"), false],
    ['2019-07-01T09:15:00', date("yyyy-MM-dd'T'HH:mm:ss"), true],
    ['2012-02-18 03:04:52', date('yyyy-MM-dd HH:mm:ss'), true],
    ['18.01.2006', date('dd.MM.yyyy'), true],
    ['18.01.2006 10:30', date('dd.MM.yyyy HH:mm'), true],
    ['31/12/2019', date('dd/MM/yyyy'), true],
    ['2021/03/09 14:05', date('yyyy/MM/dd HH:mm'), true],
    ['2021.03.09', date('yyyy.MM.dd'), true],
    ['12/31/2019', date('MM/dd/yyyy'), true],
  ] as const)('of %s is known, and whether it names a zone', (text, steps, local) => {
    expect(momentForm([text])).toMatchObject({ steps, local, share: 1, ambiguous: false });
  });

  it('is ambiguous where no day is above 12', () => {
    expect(momentForm(['03/04/2019', '05/06/2020'])).toMatchObject({ ambiguous: true });
    expect(momentForm(['03/04/2019', '25/06/2020'])).toMatchObject({
      steps: date('dd/MM/yyyy'),
      ambiguous: false,
    });
    expect(momentForm(['03/04/2019', '06/25/2020'])).toMatchObject({
      steps: date('MM/dd/yyyy'),
      ambiguous: false,
    });
  });

  it('is that of most of the texts, with their share', () => {
    expect(momentForm(['2020-05-01T00:00:00Z', 'yesterday'])).toMatchObject({ share: 0.5 });
    expect(momentForm(['yesterday'])).toBeUndefined();
  });

  it('reads every day in it back to that day', () => {
    const day = fc.date({ min: new Date('1950-01-01'), max: new Date('2090-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(
        day,
        fc.constantFrom('yyyyMMdd', 'dd.MM.yyyy', 'yyyy-MM-dd', 'yyyy/MM/dd'),
        (moment, format) => {
          const text = DateTime.fromJSDate(moment, { zone: 'utc' }).toFormat(format);
          const [step] = (momentForm([text])?.steps ?? []) as [{ date: { format: string } }];
          expect(DateTime.fromFormat(text, step.date.format, { zone: 'utc' }).toISODate()).toBe(
            moment.toISOString().slice(0, 10),
          );
        },
      ),
    );
  });
});
