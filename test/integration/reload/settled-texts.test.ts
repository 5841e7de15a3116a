import { readSettledTexts } from '../../../src/cli/input/checked-config.ts';
import { copyConfig } from '../../support/gateway/config-copy.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';

describe('a configuration that is read while its files are written', () => {
  it('is not refused for what has changed since', async () => {
    const config = endAfterTest(copyConfig());
    config.edit('portico.yaml', 'notFound: 2s', 'notFound: soon');
    const reading = readSettledTexts(config.file, {});
    config.edit('portico.yaml', 'notFound: soon', 'notFound: 9s');
    expect((await reading).texts.files.gateway.text).toContain('notFound: 9s');
  });

  it('is refused with the problems of files that stay as they are', async () => {
    const config = endAfterTest(copyConfig());
    config.edit('portico.yaml', 'notFound: 2s', 'notFound: soon');
    await expect(readSettledTexts(config.file, {})).rejects.toThrow('problem');
  });
});
