import { createContext, runInContext } from 'node:vm';
import { joinModules } from '../../../../src/admin/console/join-modules.ts';

const texts = new Map([
  [
    'main.js',
    "import { one as first } from './parts/one.js';\nimport { two } from './parts/two.js';\nexport const all = [first, two()];\nglobalThis.said = all;\n",
  ],
  ['parts/one.js', 'import { two } from "./two.js";\nconst own = 1;\nexport const one = own + two();\n'],
  ['parts/two.js', 'let runs = 0;\nruns += 1;\nexport function two() {\nreturn 10 * runs;\n}\n'],
]);

it('runs each module once, before those that import it, and each keeps its own names', () => {
  // One script in place of modules: the libraries would be imports, and these have none.
  const scope = createContext({}) as { said?: unknown };
  runInContext(joinModules('main.js', texts), scope);
  expect(JSON.stringify(scope.said)).toBe('[11,10]');
});

it('leaves libraries to the browser, each once', () => {
  const script = joinModules(
    'main.js',
    new Map([
      [
        'main.js',
        "import htm from 'htm';\nimport { h } from 'preact';\nimport { a } from './a.js';\nh(htm, a);\n",
      ],
      ['a.js', "import { h, render as draw } from 'preact';\nexport const a = draw(h);\n"],
    ]),
  );
  expect(script.match(/^import .*$/gm)).toEqual([
    "import * as library0 from 'htm';",
    "import * as library1 from 'preact';",
  ]);
  expect(script).toContain('const { default: htm } = library0;');
  expect(script).toContain('const { h, render: draw } = library1;');
});

it('refuses a form of import or export that it would not join', () => {
  for (const line of ["import './a.js';", "export * from './a.js';", 'export default 1;'])
    expect(() => joinModules('main.js', new Map([['main.js', line]]))).toThrow(line);
});

it('refuses a module that there is not', () => {
  expect(() => joinModules('main.js', new Map([['main.js', "import { a } from './b.js';\n"]]))).toThrow(
    'no module b.js',
  );
});
