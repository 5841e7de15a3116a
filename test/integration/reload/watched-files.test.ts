import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readConfig } from '../../../src/cli/input/read-config.ts';
import { watchedFiles } from '../../../src/cli/serve/config-fingerprint.ts';
import { copyConfig, editFile } from '../../support/gateway/config-copy.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';

describe('the files that are watched', () => {
  it('look changed when a file comes that a changed text names already', () => {
    const config = endAfterTest(copyConfig());
    const folder = mkdtempSync(join(tmpdir(), 'portico-secret-'));
    const secret = join(folder, 'token');
    const { texts } = readConfig(config.file, {});
    const watched = watchedFiles(config.file, () => texts);
    expect(watched.fingerprint()).toBe(watched.fingerprintInForce());
    config.edit('portico.yaml', '${ORDERS_TOKEN:-orders-sample-token}', `\${file:${secret}}`);
    const refused = watched.fingerprint();
    expect(refused).not.toBe(watched.fingerprintInForce());
    writeFileSync(secret, 'a-token-that-was-mounted-later');
    expect(watched.fingerprint()).not.toBe(refused);
    rmSync(folder, { recursive: true });
  });

  it('are the contract, too, where it stands in another folder, and the files that it names', () => {
    const config = endAfterTest(copyConfig());
    const folder = mkdtempSync(join(tmpdir(), 'portico-contract-'));
    const contract = join(folder, 'own.yaml');
    cpSync(join(dirname(config.file), 'contract.yaml'), contract);
    config.edit('portico.yaml', 'passthrough:', `contract: ${contract}\n\npassthrough:`);
    const { texts } = readConfig(config.file, {});
    const watched = watchedFiles(config.file, () => texts);
    expect(watched.folders()).toContain(folder);
    expect(watched.fingerprint()).toBe(watched.fingerprintInForce());
    editFile(contract, 'singular: user', 'singular: person');
    expect(watched.fingerprint()).not.toBe(watched.fingerprintInForce());
    rmSync(folder, { recursive: true });
  });
});
