import type { RequestSpec } from '../../../config/schema/source.ts';

/** What page sizes are called, followed by a number: `limit=50`, `page[size]=50`, `first: 50`, `"maxResults":50`. */
const SIZE =
  /(?<![a-z])((?:[a-z]+_)?limit|(?:page|batch|fetch)?_?size|(?:results?_?)?per_?page|max_?(?:results?|records?|rows|items|count)?|\$?top|first|take|rows|count|num|n)[\])"]{0,2}\s*[=:\s]\s*"?(\d{1,7})(?!\d)/gi;

/** The constant page sizes that a request names, with the words that name them: 50 is `limit`. */
export function constantSizes({ path, query, body }: RequestSpec): ReadonlyMap<number, string> {
  const parameters = Object.entries(query).map(([name, value]) => `${name}=${value}`);
  const texts = [path, ...parameters, ...(body === undefined ? [] : [JSON.stringify(body)])];
  const found = texts.flatMap((text) => [...text.replaceAll('\\', '').matchAll(SIZE)]);
  return new Map(found.map(([, name = '', size]) => [Number(size), name]));
}
