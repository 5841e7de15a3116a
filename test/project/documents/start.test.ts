import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FollowedGuide, followGuide, inClone, inFolder, stepsOf } from './run-guide.ts';

describe.each([
  {
    ...{ file: 'config/docs/start.md', home: '~/start', ports: ['7300', '6399'], minutes: 10 },
    ...{ places: inFolder, draft: 'shop/sources/service.yaml', variable: 'SERVICE_API_KEY' },
  },
  {
    ...{ file: 'config/docs/your-own-resource.md', home: '~/orders', ports: ['7103'], minutes: 5 },
    ...{ places: inClone, draft: 'sources/desk.yaml', variable: 'DESK_ORDERS_TOKEN' },
  },
])('the $minutes minutes of $file', ({ file, home, ports, minutes, places, draft, variable }) => {
  let guide: FollowedGuide;
  beforeAll(async () => {
    guide = await followGuide(file, home, ports, places());
  });
  afterAll(() => guide.remove());

  it.each(stepsOf(file))('block $index prints what the document shows: $first', (step) => {
    expect(guide.mismatch(step)).toBeUndefined();
  });

  it('are longer than the commands take, also on a busy machine', () => {
    expect(guide.seconds).toBeLessThan(minutes * 60);
  });

  it('give the credential in the variable that the draft reads', () => {
    expect(readFileSync(join(guide.folder, draft), 'utf8')).toContain(`value: \${${variable}}`);
  });
});
