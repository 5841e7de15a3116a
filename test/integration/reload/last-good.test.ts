import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLastGoodWriter } from '../../../src/cli/serve/last-good.ts';
import { parseGateway } from '../../support/gateway/parse-gateway.ts';
import { createFolder } from '../../support/process/folder.ts';
import { startForEach } from '../../support/jest/lifetime.ts';

const files = { gateway: { file: 'portico.yaml', text: 'portico: 1' }, sources: [] };
const keptIn = (dir: string) => ({
  gateway: parseGateway({ portico: 1, resources: {}, state: { dir } }),
  ...{ compiled: [], texts: { files, references: {} } },
});

describe('the last good configuration', () => {
  const folder = startForEach(() => createFolder('state'));

  it('is written to a file of its own, whatever a crash or somebody else has left in its place', () => {
    const [elsewhere, state] = [join(folder.path, 'elsewhere'), join(folder.path, 'state')];
    createLastGoodWriter({ warn: fail })(keptIn(state));
    writeFileSync(elsewhere, 'the file of somebody else', { mode: 0o644 });
    symlinkSync(elsewhere, join(state, 'last-good.json.new'));
    createLastGoodWriter({ warn: fail })(keptIn(state));
    expect(readFileSync(elsewhere, 'utf8')).toBe('the file of somebody else');
    expect(readdirSync(state)).toEqual(['last-good.json']);
    expect(statSync(join(state, 'last-good.json')).mode & 0o777).toBe(0o600);
  });

  it('is a warning where it cannot be kept', () => {
    const warnings: unknown[] = [];
    const inTheWay = join(folder.path, 'a-file');
    writeFileSync(inTheWay, '');
    createLastGoodWriter({ warn: (fields: object) => void warnings.push(fields) })(keptIn(inTheWay));
    expect(warnings).toHaveLength(1);
  });
});

function fail(...line: unknown[]): never {
  throw new Error(`a warning: ${JSON.stringify(line)}`);
}
