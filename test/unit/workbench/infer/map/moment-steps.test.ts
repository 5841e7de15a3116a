import { momentSteps } from '../../../../../src/workbench/infer/map/moment-steps.ts';

describe('timestamps without a zone', () => {
  it.each([
    ['18.01.2006', undefined],
    ['18.01.2006', 'Europe/Berlin'],
    ['20060118', undefined],
    ['2006-01-18', 'America/New_York'],
  ])(
    'that are days, as %s, keep their date in UTC, and nobody is asked for the zone (that of the product: %s)',
    (text, zone) => {
      const { as, remarks } = momentSteps([text], zone);
      expect(as).toEqual([{ date: expect.objectContaining({ zone: 'UTC' }) }]);
      expect(remarks).toEqual([{ level: 'likely', text: expect.stringContaining('keep UTC') }]);
    },
  );

  it.each(['18.01.2006 10:30', '2006-01-18 10:30:00', '20060118103000'])(
    'that have a time, as %s: the operator is asked for the zone, unless that of the product is known',
    (text) => {
      expect(momentSteps([text], undefined).remarks).toEqual([
        { level: 'edit', text: expect.stringContaining('replace UTC by the zone of the service') },
      ]);
      expect(momentSteps([text], 'Europe/Berlin').remarks).toEqual([
        { level: 'likely', text: expect.stringContaining('writes Europe/Berlin') },
      ]);
    },
  );
});
