import { writesSchema } from '../../../upstreams/writers.ts';
import type { Random } from '../../generate/random.ts';
import type { Shown } from '../../oracle/values.ts';
import * as keep from '../case.ts';

const LANGUAGES = ['en', 'de', 'tr'];
const TAGS = ['News', 'news', 'A, B', 'çay', 'x&y', '7', "it's"];
const TITLES = ['Hello', 'hello', 'Çay', 'It\u2019s "done"', '1 + 1', 'null'];

/** A document; what is not known of it is left out, as in most. */
function post(random: Random, id: number, authors: readonly number[]): keep.Held {
  // More tags than the contract allows are a missing value.
  const tags = random.some(TAGS, keep.mostly(random, 0.3, 1, 0.05));
  const rating = keep.mostly(random, random.of([5, 4.5, 3.25, random.below(500) / 100]), undefined, 0.2);
  return {
    ...{ _id: `p:${id}`, title: keep.mostly(random, random.of(TITLES), `Post ${id}`, 0.5) },
    ...{ lang: keep.mostly(random, random.of(LANGUAGES), 'xx', 0.06), likes: random.below(60) },
    ...(rating !== undefined && { rating }),
    ...(random.is(0.9) && { tags: keep.mostly(random, tags, ['News', null], 0.04) }),
    ...{ draft: random.is(0.3), author: `a:${random.of(authors)}`, secret: 'never-to-be-shown' },
    ...(random.is(0.85) && { published: new Date(keep.moment(random)).toISOString() }),
    ...(random.is(0.9) && { stats: { words: random.below(900), images: random.below(4) } }),
    text: `${keep.person(random)} went to ${keep.town(random)}.`,
  };
}

const TAGS_MAX = 5;

function tagsIn(tags: readonly unknown[] | null | undefined): Shown {
  const isKnown = tags?.every((one) => typeof one === 'string') === true && tags.length <= TAGS_MAX;
  return isKnown ? tags : null;
}

const numberOf = ({ _id }: keep.Held) => (_id as string).split(':')[1]!;

/** Posts with tags, in the databases of a server of CouchDB's interface. */
export const posts: keep.ServiceCase = {
  server: 'pouchdb-server',
  product: 'express-pouchdb',
  // A draft keeps the ids of the documents whole: a:3, p:12.
  draftId: (id) => id.replace(/^((.).*)_(\d+)$/, '$1_$2~3a$3'),
  resources: {
    authors: {
      list: '/db/authors',
      inferred: '/db/authors/_all_docs?include_docs=true',
      idOf: numberOf,
      writes: writesSchema.parse({ kind: 'couchdb', prefix: 'a:', fields: ['given', 'family', 'joined'] }),
      truth: (held) => ({
        id: `author_${numberOf(held)}`,
        name: [held['given'], held['family']].filter((one) => typeof one === 'string').join(' ') || null,
        joined: keep.dayText(held['joined']),
      }),
    },
    posts: {
      list: '/db/posts',
      inferred: '/db/posts/_all_docs?include_docs=true',
      idOf: numberOf,
      writes: writesSchema.parse({
        kind: 'couchdb',
        prefix: 'p:',
        fields: [
          ...['title', 'lang', 'tags', 'likes', 'rating', 'draft', 'published', 'author', 'stats', 'text'],
        ],
      }),
      truth: (held) => ({
        id: `post_${numberOf(held)}`,
        title: keep.textText(held['title']),
        language: LANGUAGES.includes(held['lang']) ? held['lang'] : null,
        tags: tagsIn(held['tags']),
        likes: keep.wholeText(held['likes']),
        rating: keep.numberText(held['rating']),
        draft: keep.flagText(held['draft']),
        published_at: keep.instantText(held['published']),
        author: typeof held['author'] === 'string' ? `author_${held['author'].split(':')[1]}` : null,
        'stats.words': keep.wholeText(held['stats']?.words),
        'stats.images': keep.wholeText(held['stats']?.images),
        text: keep.textText(held['text']),
      }),
    },
  },
  data(random) {
    const ids = keep.numbers(random, 15);
    return {
      authors: ids.map((id) => ({
        ...{ _id: `a:${id}`, given: keep.person(random), family: keep.person(random) },
        joined: keep.day(random),
      })),
      posts: keep.numbers(random, 170).map((id) => post(random, id, ids)),
    };
  },
};
