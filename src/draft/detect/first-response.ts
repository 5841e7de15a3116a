import type { ResourceName } from '../../contract/resources.ts';
import { contentTypesOf } from '../../config/fixture/content-types.ts';
import { decode as decodeSchema } from '../../config/schema/connection.ts';
import type { UpstreamReply } from '../../kernel/upstream-call.ts';
import { detectFormat, type Format, withArrays } from './detect-format.ts';
import type { Dialect, Look } from '../dialects/dialect.ts';
import { findRows, largerTable, type RowPlace, tableTrouble, whyNoRows } from './find-rows.ts';
import { knowDialects } from './detect-dialects.ts';
import type { Note } from '../note.ts';
import type { Recipe } from '../ask/request-template.ts';
import { InferError } from '../infer-error.ts';

/** A list that can be read: how it is asked for, how it is written, and where its rows stand. */
export type Sight = {
  readonly recipe: Recipe;
  readonly reply: UpstreamReply;
  readonly format: Format;
  readonly place: RowPlace;
  readonly dialect: Dialect | undefined;
  readonly notes: readonly Note[];
};

type Ask = (recipe: Recipe) => Promise<UpstreamReply>;

/** Where a service sends callers to, as far as it may be told. */
function elsewhere(reply: UpstreamReply): string {
  const location = reply.header('location') ?? '';
  const isAddress = /^[\x21-\x7e]{1,200}$/.test(location);
  return isAddress ? `it names ${location}` : 'give the address that it names';
}

/** What a status says where no list came. */
function failureOf(reply: UpstreamReply): InferError | undefined {
  const { status } = reply;
  const told = `the service answers HTTP ${status}`;
  if (status === 401 || status === 403)
    return new InferError(
      `${told}: it wants a credential, or another one`,
      "--header 'Authorization: Bearer …', or user:password@ in the address",
    );
  if (status >= 300 && status < 400)
    return new InferError(`${told}: it sends callers elsewhere, which is not followed`, elsewhere(reply));
  if (status === 404)
    return new InferError(`${told}: there is nothing at this address`, 'give the address of the list itself');
  if (status === 405)
    return new InferError(`${told}: it wants another method`, '--method POST --body <file>');
  if (status === 429)
    return new InferError(`${told}: it limits callers`, 'try again later, with fewer --calls-max');
  if (status >= 400) return new InferError(told, 'give the address with the parameters that the list needs');
  return undefined;
}

function formatOf(reply: UpstreamReply): Format | InferError {
  try {
    return detectFormat(reply);
  } catch (error) {
    if (error instanceof InferError) return error;
    throw error;
  }
}

/** The list in a reply; an error where there is none. */
function seeList(
  resource: ResourceName,
  recipe: Recipe,
  reply: UpstreamReply,
  dialect: Dialect | undefined,
): Sight | InferError {
  const failure = failureOf(reply);
  if (failure !== undefined) return failure;
  const format = formatOf(reply);
  if (format instanceof InferError) return format;
  const isXml = format.decode.format === 'xml';
  const [place, next] = findRows(format.document, resource, isXml);
  if (place === undefined) {
    const { message, hint } = whyNoRows(format.document);
    return new InferError(message, hint);
  }
  const table = isXml ? undefined : largerTable(format.document, place.rows.length);
  if (table !== undefined) {
    const { message, hint } = tableTrouble(table);
    return new InferError(message, hint);
  }
  const at = ['resources', resource, 'list', 'items'];
  const single: readonly Note[] = place.single
    ? [
        {
          at: ['decode', 'arrays'],
          level: 'edit',
          text: 'only one record was seen: is this the element that is repeated?',
        },
      ]
    : [];
  const others: readonly Note[] =
    next === undefined ? [] : [{ at, level: 'likely', text: `there is another list, at ${next.path}` }];
  return {
    recipe,
    reply,
    format: isXml ? withArrays(format, [place.keys.join('.')]) : format,
    place,
    dialect,
    notes: [...format.notes, ...single, ...others],
  };
}

function lookOf(resource: ResourceName, recipe: Recipe, reply: UpstreamReply): Look {
  const format = formatOf(reply);
  const document = format instanceof InferError ? undefined : format.document;
  const [place] = document === undefined ? [] : findRows(document, resource, false);
  return { resource, recipe, reply, document, row: place?.rows[0] };
}

/** The request with what a dialect wants besides. */
function extended(recipe: Recipe, dialect: Dialect, look: Look): Recipe {
  const { query = {}, headers = {} } = dialect.constants?.({ ...look, recipe }) ?? {};
  const news = Object.entries(query).filter(
    ([name]) => recipe.query[name] === undefined || name === 'sysparm_query',
  );
  return {
    ...recipe,
    query: { ...recipe.query, ...Object.fromEntries(news) },
    headers: { ...recipe.headers, ...headers },
  };
}

const same = (a: Recipe, b: Recipe) => JSON.stringify(a) === JSON.stringify(b);

/** Asks the way that a dialect wants to be asked, and sees whether rows come. */
async function lookAs(dialect: Dialect, look: Look, ask: Ask | undefined): Promise<Sight | undefined> {
  const plain = look.recipe;
  const rewritten = dialect.rewrite?.(look) ?? plain;
  const recipes = [extended(rewritten, dialect, look), rewritten].filter((recipe) => !same(recipe, plain));
  for (const recipe of recipes) {
    if (ask === undefined) break;
    const reply = await ask(recipe);
    const sight = seeList(look.resource, recipe, reply, dialect);
    if (sight instanceof InferError) continue;
    if (dialect.confirms?.(sight.format.document, reply) === false) return undefined;
    return sight;
  }
  const sight = seeList(look.resource, plain, look.reply, dialect);
  if (sight instanceof InferError || dialect.confirms?.(sight.format.document, look.reply) === false)
    return undefined;
  return sight;
}

/** The media types to ask for, once the format is known. */
export function acceptOf({ decode }: Format): string {
  return contentTypesOf(decodeSchema.parse(decode)).join(', ');
}

/**
 * The list behind a first reply; asks again in the ways of the dialects that it looks like.
 * @throws InferError where there is no list to be seen
 */
export async function firstLook(
  resource: ResourceName,
  recipe: Recipe,
  reply: UpstreamReply,
  ask: Ask | undefined,
): Promise<Sight> {
  const look = lookOf(resource, recipe, reply);
  for (const dialect of knowDialects(look)) {
    const sight = await lookAs(dialect, look, ask);
    if (sight !== undefined) return sight;
  }
  const sight = seeList(resource, recipe, reply, undefined);
  if (sight instanceof InferError) throw sight;
  return sight;
}
