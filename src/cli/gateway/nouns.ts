// `portico list`, `get` and `describe`: the same three words for everything that a running gateway has, as in kubectl.

import { closest } from '../../config/validate/closest.ts';
import { objectBlocks, objectTable } from '../../workbench/explain/report/object-tables.ts';
import type { Report } from '../../workbench/explain/report/report.ts';
import { type CommandLine, ExitError, exitCodes } from '../context/context.ts';
import { addAskingAction, type AskingCommand, type AskOperator } from './operator-api-client.ts';

/** A kind of thing that a gateway has: how all are listed, which field is the id, and how one is asked for in full. */
type Noun = {
  readonly list: (ask: AskOperator) => Promise<readonly object[]>;
  readonly id: string;
  /** Absent: the list has all that is known. */
  readonly one?: (ask: AskOperator, id: string) => Promise<object>;
};

const NOUNS: Readonly<Record<string, Noun>> = {
  callers: { id: 'id', list: async (ask) => (await ask('callers', {})).callers },
  claims: { id: 'claim', list: async (ask) => (await ask('claims', {})).disabled },
  incidents: {
    id: 'id',
    list: async (ask) => (await ask('incidents', {})).incidents,
    one: async (ask, id) => (await ask('incident', { id })).incident,
  },
  keys: {
    id: 'id',
    list: async (ask) => (await ask('keys', {})).keys,
    one: async (ask, id) => (await ask('keys.show', { id })).key,
  },
  migrations: {
    id: 'resource',
    list: async (ask) => (await ask('migrations', {})).migrations,
    one: (ask, resource) => ask('migrations.status', { resource }),
  },
  reloads: { id: 'rev', list: async (ask) => (await ask('config', {})).reloads },
  requests: {
    id: 'requestId',
    list: async (ask) => (await ask('requests', {})).requests,
    one: (ask, id) => ask('request', { id }),
  },
  sources: {
    id: 'name',
    list: async (ask) => (await ask('overview', {})).sources,
    one: (ask, name) => ask('source', { name }),
  },
};

/** @throws ExitError that names what there is, and what may have been meant */
function refuseUnknown(exitCode: number, what: string, wrong: string, known: readonly string[]): never {
  const near = closest(wrong, known);
  const hint = near === undefined ? `there are: ${known.slice(0, 20).join(', ')}` : `did you mean ${near}?`;
  throw new ExitError(exitCode, `there is no ${what} ${wrong}`, hint);
}

/** `key` means `keys`. @throws ExitError */
function nounOf(word: string): Noun {
  const found = NOUNS[word] ?? NOUNS[`${word}s`];
  return found ?? refuseUnknown(exitCodes.usage, 'kind of things', word, Object.keys(NOUNS));
}

/** @throws ExitError if none of the list has the id */
async function find(ask: AskOperator, word: string, id: string): Promise<object> {
  const { list, id: field } = nounOf(word);
  const all = (await list(ask)).map((one) => [String((one as Record<string, unknown>)[field]), one] as const);
  const found = all.find(([name]) => name === id)?.[1];
  const names = all.map(([name]) => name);
  return found ?? refuseUnknown(exitCodes.failure, word.replace(/s$/, ''), id, names);
}

async function listAll(ask: AskOperator, word: string): Promise<Report> {
  const all = await nounOf(word).list(ask);
  return { json: all, blocks: [objectTable(all)] };
}

/** Adds `portico list`, `get` and `describe`, and `portico callers`. */
export function registerNounCommands(line: CommandLine): void {
  const add = (words: string, description: string, run: AskingCommand) =>
    addAskingAction(line.program.command(words).description(description), line, run);

  const nouns = Object.keys(NOUNS).join(', ');
  add('list <what>', `all things of one kind that a running gateway has: ${nouns}`, (ask, [word = '']) =>
    listAll(ask, word),
  );
  add('get <what> <id>', 'one of them, as a row of its list', async (ask, [word = '', id = '']) => {
    const one = await find(ask, word, id);
    return { json: one, blocks: [objectTable([one])] };
  });
  add('describe <what> <id>', 'all that is known of one of them', async (ask, [word = '', id = '']) => {
    const one = (await nounOf(word).one?.(ask, id)) ?? (await find(ask, word, id));
    return { json: one, blocks: objectBlocks(one) };
  });
  add('callers', 'who asks a running gateway: requests, errors, limits', (ask) => listAll(ask, 'callers'));
}
