import { readFileSync } from 'node:fs';
import { loadUsableSections } from '../../../../src/config/load.ts';

const usable = (text: string, variables: Readonly<Record<string, string>> = {}) =>
  loadUsableSections({ file: 'portico.yaml', text }, { variables, readFile: () => '' });

describe('what a command finds of a gateway file that it does not check', () => {
  it('is where the operator’s listener is, in the shipped file too, which has no state', () => {
    const text = readFileSync('config/portico.yaml', 'utf8');
    expect(usable(text, { ADMIN_PORT: '9191' }).admin).toMatchObject({ host: '127.0.0.1', port: 9191 });
  });

  it('is the folder of its state where nothing is said of the operator’s listener', () => {
    expect(usable('state: { dir: /var/lib/portico }').state).toEqual({ dir: '/var/lib/portico' });
  });

  it('is nothing of what is broken itself', () => {
    const { admin, state } = usable('admin: { port: many }\nstate: { dir: /var/lib/portico }');
    expect([admin, state]).toEqual([undefined, { dir: '/var/lib/portico' }]);
  });
});
