import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runCommand } from '../../support/command/run-command.ts';
import { startDemo } from '../../support/gateway/gateway-process.ts';
import { startStack } from '../../support/gateway/stack.ts';
import { documentFiles, readDocument } from './document.ts';

const root = new URL('../../../', import.meta.url).pathname;
const documents = documentFiles.map(readDocument);
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

/** The lines of a document's shell blocks, continued lines joined, and the commands that its text has in backticks. */
function commandLines({ blocks, prose }: (typeof documents)[number]): readonly string[] {
  const shell = blocks.flatMap(({ language, text }) => {
    const lines = text.replaceAll('\\\n', ' ').split('\n');
    if (language === 'sh') return lines;
    if (language !== 'console') return [];
    return lines.flatMap((line) => /^[$>] (.*)$/.exec(line)?.[1] ?? []);
  });
  const inline = [...prose.matchAll(/`((?:[A-Z_]+=\S+ )*(?:portico|npm|node dist\/main\.js) [^`]+)`/g)];
  return [...shell, ...inline.map(([, line = '']) => line)];
}

const lines = documents.flatMap((document) =>
  commandLines(document).map((line) => ({ file: document.file, line: line.trim() })),
);

/** What `portico` is given in a line: the words behind its name, up to a comment or another command. */
function porticoArguments(line: string): readonly string[] | undefined {
  const [, rest] =
    /(?:^|\s|=')(?:npm run (?:-s )?portico --|node dist\/main\.js|portico)(?: ([^#|;&]*))?/.exec(line) ?? [];
  return rest?.match(/'[^']*'|"[^"]*"|\S+/g)?.map((word) => word.replaceAll(/^['"]|['"]$/g, ''));
}

const porticoLines = lines.flatMap(({ file, line }) => {
  // Others give what they install that name.
  const words = /^(?:alias|helm|kubectl) /.test(line) ? undefined : porticoArguments(line);
  return words === undefined ? [] : [{ file, line, words }];
});

const helps = new Map<string, string>();
async function helpOf(command: readonly string[]): Promise<string> {
  const name = command.join(' ');
  if (!helps.has(name)) {
    const { code, out } = await runCommand([...command, '--help']);
    helps.set(name, code === 0 && out.includes(`Usage: portico ${name}`) ? out : '');
  }
  return helps.get(name) ?? '';
}

/** The words of a line that name a command: two where the first has commands of its own. */
async function commandOf(words: readonly string[]): Promise<readonly string[]> {
  const isName = (word = '') => /^[a-z]+$/.test(word);
  const isGroup = isName(words[0]) && /^Usage: .*\[command\]/m.test(await helpOf(words.slice(0, 1)));
  return words.slice(0, isGroup && isName(words[1]) ? 2 : 1);
}

/** Lines with the files that a run of jest is limited to. */
const testLines = lines.flatMap(({ file, line }) => {
  const [, words] = /npm test -- ([^#]*)/.exec(line) ?? [];
  return words === undefined
    ? []
    : [{ file, line, fragments: words.split(/\s+/).filter((word) => word !== '') }];
});

const testFiles = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => `test/${name}`);

describe('the commands of the documents', () => {
  it.each(porticoLines)('$file: portico knows the command and its options: $line', async ({ words }) => {
    const command = await commandOf(words);
    if (command[0]?.startsWith('-') === true) {
      expect(await helpOf([])).toContain(command[0]);
      return;
    }
    const help = await helpOf(command);
    expect(help).not.toBe('');
    const options = words.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0] ?? '');
    expect(options.filter((option) => !help.includes(option))).toEqual([]);
  });

  it.each(lines.filter(({ line }) => line.includes('npm run ')))(
    '$file: npm has the script: $line',
    ({ line }) => {
      const names = [...line.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, name = '']) => name);
      expect(names.filter((name) => scripts[name] === undefined)).toEqual([]);
    },
  );

  it.each(testLines)('$file: there are such tests: $line', ({ fragments }) => {
    const paths = fragments.filter(
      (word, index) => !word.startsWith('-') && !/^-/.test(fragments[index - 1] ?? ''),
    );
    expect(paths.filter((path) => !testFiles.some((file) => file.includes(path)))).toEqual([]);
  });

  it('set only variables that something reads', () => {
    const names = lines.flatMap(({ line }) =>
      [...line.matchAll(/(?:^|\s)([A-Z][A-Z_]+)=/g)].map(([, name = '']) => name),
    );
    const sources = ['src', 'test', '.ci'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
        .filter((entry) => !entry.name.endsWith('.md'))
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8')),
    );
    const text = sources.join('\n');
    expect([...new Set(names)].filter((name) => !text.includes(name))).toEqual([]);
  });

  const offline = porticoLines.filter(
    ({ words, line }) => words[0] === 'explain' && !/--live|--values|shop/.test(line) && words.length > 1,
  );
  it.each(offline)('$file: answers $line', async ({ words }) => {
    expect(await runCommand(words)).toMatchObject({ code: 0, err: '' });
  });

  it('check the configuration without a problem', async () => {
    expect(await runCommand(['check'])).toMatchObject({ code: 0, err: '' });
  });

  it('start only programs of the project that there are', () => {
    const files = lines.flatMap(({ line }) =>
      [...line.matchAll(/\b((?:src|\.ci)\/[\w./-]+)/g)].map(([, path = '']) => path),
    );
    expect(files.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});

const run = promisify(execFile);
const curl = async (line: string) => (await run('bash', ['-c', `${line} --silent --fail-with-body`])).stdout;

describe('the requests of the documents', () => {
  it('are answered by the demo as the README shows', async () => {
    const shown = readDocument('README.md').blocks.find(({ language }) => language === 'console')?.text ?? '';
    const exchanges = [...shown.matchAll(/^\$ (curl .*)\n((?:[^$].*\n)*)/gm)];
    expect(exchanges).toHaveLength(3);
    const demo = await startDemo();
    try {
      for (const [, line = '', answer = ''] of exchanges) {
        const asked = line.replace('$PORTICO_DEMO_KEY', demo.key).replace('http://127.0.0.1:8080', demo.url);
        const given = await curl(asked);
        const pieces = answer.split(/[…\n]+/).map((piece) => piece.replace(/^\], |, $/g, '').trim());
        for (const piece of pieces) expect(given).toContain(piece);
      }
    } finally {
      await demo.process.kill();
    }
  });

  it('purge by the operator’s listener as config/docs/operate.md says', async () => {
    const line = lines.find((one) => one.line.startsWith('curl -X POST'))?.line.replace(/#.*$/, '') ?? '';
    const stack = await startStack({});
    try {
      const answer = await curl(line.replace('http://127.0.0.1:9090', stack.adminUrl));
      expect(JSON.parse(answer)).toBeInstanceOf(Object);
    } finally {
      await stack.close();
    }
  });
});
