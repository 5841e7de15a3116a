import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = new URL('../../../', import.meta.url).pathname;

/** A fenced block: its language, what the fence says behind it, and where it stands. */
export type Block = {
  readonly language: string;
  readonly section: string;
  readonly text: string;
  readonly line: number;
};

/** A Markdown document of the project. */
export type ProjectDocument = {
  readonly file: string;
  readonly text: string;
  readonly headings: readonly { readonly level: number; readonly text: string }[];
  readonly blocks: readonly Block[];
  /** The text without its fenced blocks. */
  readonly prose: string;
};

/** The pages that say why something is as it is, and their index. */
function decisionFiles(): readonly string[] {
  return readdirSync(join(root, 'config/docs/decisions')).map((name) => `config/docs/decisions/${name}`);
}

/** Every document that people read. */
export const documentFiles: readonly string[] = [
  'README.md',
  'config/docs/start.md',
  'config/docs/your-own-resource.md',
  'config/docs/contract.md',
  'config/docs/operate.md',
  'config/docs/sources.md',
  'config/docs/library.md',
  'config/docs/migrate.md',
  'config/docs/reference.md',
  'config/docs/runbook.md',
  'config/docs/security.md',
  'config/docs/releases.md',
  'config/CHANGELOG.md',
  'src/README.md',
  'test/README.md',
  'test/FIGURES.md',
  'test/integration/cli/infer/FOUND.md',
  ...decisionFiles(),
];

const FENCE = /^```(\S*) ?(\S*)\n([^]*?)^```$/gm;

/** Reads a document by its path from the root. */
export function readDocument(file: string): ProjectDocument {
  const text = readFileSync(join(root, file), 'utf8');
  const prose = text.replaceAll(FENCE, '');
  const headings = [...prose.matchAll(/^(#+) (.*)$/gm)].map(([, marks = '', heading = '']) => {
    return { level: marks.length, text: heading };
  });
  const blocks = [...text.matchAll(FENCE)].map((match) => {
    const [, language = '', section = '', block = ''] = match;
    const above = text.slice(0, match.index);
    return { language, section, text: block, line: above.split('\n').length };
  });
  return { file, text, headings, blocks, prose };
}

/** The anchor of a heading, as GitHub makes it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}

/** The links and pictures of a document, each with the file that it leads to (from the root) and its anchor. */
export function linksOf({
  file,
  prose,
}: ProjectDocument): readonly { to: string; path: string; anchor: string }[] {
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)|<img src="([^"]+)"/g)].map(
    ([, linked, shown]) => linked ?? shown ?? '',
  );
  return targets.flatMap((to) => {
    const [path = '', anchor = ''] = to.split('#');
    if (/^https?:/.test(path)) return [];
    return [{ to, path: path === '' ? file : join(dirname(file), path), anchor }];
  });
}

/** The parts of a quoted message that are the same in every case, if they are long enough to be looked for. */
export function fixedParts(message: string): readonly string[] {
  return message
    .split(/…|"[^"]*"|\{[^}]*\}|<[^>]*>|\b\d+\b|: /)
    .map((piece) => piece.trim())
    .filter((piece) => piece.split(' ').length > 3);
}

/** The code of src, in which the messages of Portico stand. */
export function readCode(): string {
  const folder = join(root, 'src');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8').replaceAll("\\'", "'"))
    .join('\n');
}
