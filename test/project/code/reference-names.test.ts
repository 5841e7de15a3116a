import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { parseSource, readSources, type SourceFile } from './source-tree.ts';

const root = new URL('../../../', import.meta.url).pathname;

/** The sample services, the demo of them, the built-in contract, and texts of the reference for readers. */
const MAY =
  /^src\/(?:cli\/demo\/|cli\/serve\/(?:demo|samples)\.ts|contract\/reference-contract\.ts|workbench\/docs\/)/;

/** Names that mean nothing but a part of the built-in contract. */
const OWN = new Set(
  `users products created_at price profile profile.bio profile.location profile.avatar_url bio avatar_url
  min_price max_price prod`.split(/\s+/),
);
/** Names of the built-in contract that are everyday words, too: they are not compared with. */
const COMMON = new Set(['name', 'email', 'description', 'category', 'location', 'user', 'product']);

const isOwn = (text: string) =>
  OWN.has(text) || /^(?:GET )?(?:\/v1\/)?(?:users|products)(?:[.:/?].*)?$/.test(text);

/** Such a name within a text. */
const ANY = new RegExp(
  `(?<![\\w-])(?:${[...OWN].map((name) => name.replace('.', '\\.')).join('|')})(?![\\w-])`,
);

/** The texts of a file that hold a name of the built-in contract, those within templates, too. */
function textsWithNames({ syntax }: SourceFile): readonly string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if ((ts.isStringLiteral(node) || ts.isTemplateLiteralToken(node)) && ANY.test(node.text))
      found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(syntax);
  return found;
}

/** Whether a text decides something: it is compared, or a key that is looked up. What a field means is no name. */
function decides(node: ts.StringLiteralLike): boolean {
  const { parent } = node;
  if (ts.isElementAccessExpression(parent)) return !COMMON.has(node.text);
  if (ts.isCaseClause(parent)) return true;
  if (!ts.isBinaryExpression(parent)) return false;
  const isEquality =
    parent.operatorToken.kind === ts.SyntaxKind.EqualsEqualsEqualsToken ||
    parent.operatorToken.kind === ts.SyntaxKind.ExclamationEqualsEqualsToken;
  const other = parent.left === node ? parent.right : parent.left;
  return isEquality && !/(?:^|\.)means$/.test(other.getText());
}

/** The places of a file that depend on a name of the built-in contract. */
function namesIn({ path, syntax }: SourceFile): readonly string[] {
  const found: string[] = [];
  function note(node: ts.Node, name: string): void {
    found.push(`${path}:${syntax.getLineAndCharacterOfPosition(node.getStart()).line + 1} ${name}`);
  }
  function visit(node: ts.Node): void {
    if (ts.isStringLiteralLike(node)) {
      if (isOwn(node.text) || (COMMON.has(node.text) && decides(node))) note(node, node.text);
    } else if (ts.isPropertyAccessExpression(node) && OWN.has(node.name.text)) note(node, node.getText());
    else if (ts.isPropertyAssignment(node) && OWN.has(node.name.getText())) note(node, node.name.getText());
    ts.forEachChild(node, visit);
  }
  visit(syntax);
  return found;
}

describe('the names of the built-in contract', () => {
  it('stand in no code that serves, checks or drafts: a contract file has its own', () => {
    const sources = readSources(root, 'src').filter(({ path }) => !MAY.test(path));
    expect(sources.length).toBeGreaterThan(400);
    expect(sources.flatMap(namesIn)).toEqual([]);
  });

  it('stand in no text of the console, which knows no contract before it is asked', () => {
    const page = readSources(root, 'src/admin/console/page');
    expect(page.length).toBeGreaterThan(40);
    expect(page.flatMap(textsWithNames)).toEqual([]);
    expect(
      textsWithNames(parseSource('one.ts', 'const hint = html`<p>${one} such as users.list</p>`;')),
    ).toEqual([' such as users.list</p>']);
  });

  it.each([
    ...['src/admin/console/page/index.html', 'src/admin/console/page/app.css'],
    ...['src/http/api-page/static/page.js', 'src/http/api-page/static/page.css'],
    ...['config/grafana/portico.json', 'config/alerts.yaml', 'config/prometheus/prometheus.yaml'],
  ])('stand nowhere in %s', (path) => {
    expect(readFileSync(root + path, 'utf8').match(new RegExp(ANY, 'g'))).toBeNull();
  });

  it.each([
    "const isSure = resource.name === 'users';",
    "if (field === 'category') return [];",
    "switch (field) { case 'email': break; }",
    "const path = map['price'];",
    'const path = map.created_at;',
    'const words = { products: [] };',
    "const permission = 'users:read';",
    'const request = `/v1/products?limit=2`;',
  ])('would be found: %s', (text) => {
    expect(namesIn(parseSource('one.ts', text))).toHaveLength(1);
  });

  it.each([
    "const isName = field.means === 'email';",
    "const key = row['name'];",
    "const kinds = ['description'];",
  ])('are words like others elsewhere: %s', (text) =>
    expect(namesIn(parseSource('one.ts', text))).toEqual([]),
  );
});
