import assert from 'node:assert/strict';
import { sharedOperator, tokenTexts } from './harness/operator-client.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';

const roles: BenchRow = {
  id: 'roles-1',
  name: 'nobody reads without a token, a viewer reads and changes nothing, an operator changes, and the audit names the token',
  fast: true,
  async run(bench) {
    const { ask, through } = await sharedOperator(bench);
    const document = (await (await ask('/api/openapi.json', 'GET', tokenTexts.viewer)).json()) as {
      paths: Record<string, Record<string, { description: string; security?: readonly object[] }>>;
    };
    const all = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { description, security }]) => {
        // Who signs in brings the token in the body.
        const isOpen = security?.length === 0;
        return { path: path.replace('{id}', 'nobody1'), method: method.toUpperCase(), description, isOpen };
      }),
    );
    let [without, forbidden, allowed] = [0, 0, 0];
    for (const { path, method, description, isOpen } of all) {
      const { status: refused } = await ask(path, method);
      if (refused === 401 || (isOpen && refused === 400)) without += 1;
      const { status } = await ask(path, method, tokenTexts.viewer);
      if (status === 403) forbidden += 1;
      else allowed += 1;
      assert.equal(status === 403, description.includes('the role `operator`'), `${method} ${path}`);
    }
    await through('cache', 'purge', '--tag', 'users');
    const audit = await through('audit');
    assert.match(audit, / ada {2}cache\.purge {2}users {2}done/);
    return promised(without === all.length && forbidden > 0, {
      routes: all.length,
      '401 without': without,
      '403 for a viewer': forbidden,
      'read by it': allowed,
    });
  },
};

/** Who may do what on the operator's listener. */
export const roleRows: readonly BenchRow[] = [roles];
