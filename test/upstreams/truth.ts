import * as z from 'zod';
import type { ModelRecord } from '../support/model/contract-model.ts';
import type { DataProduct, DataUser, UpstreamData } from './generate-data.ts';

/** How a server holds the generated records, where that shows in v1 answers. */
export const holdsSchema = z.strictObject({
  /** Which of the two generated ids is the server's own. */
  ids: z.enum(['id', 'uuid']),
  /** `digits`: 19.90 stays 19.90. `shortest`: the server holds a number, and 19.90 becomes 19.9. */
  prices: z.enum(['digits', 'shortest']),
  /** The smallest part of an instant that the server keeps. */
  instants: z.enum(['milliseconds', 'seconds']),
});

export type Holds = z.infer<typeof holdsSchema>;

/** How most servers hold them. */
export const usualHolds: Holds = { ids: 'id', prices: 'digits', instants: 'milliseconds' };

/** Fields that may be unknown; a server that must have one of them is given data that always does. */
export const nullable = ['email', 'bio', 'location', 'avatar_url', 'description', 'price'] as const;

type Nullable = (typeof nullable)[number];

const FILLED: Readonly<Record<Nullable, (record: { readonly id: number }) => string>> = {
  email: ({ id }) => `nobody.${id}@a.example`,
  bio: () => 'Nothing to tell.',
  location: () => 'Nowhere',
  avatar_url: ({ id }) => `https://img.example/blank/${id}.png`,
  description: () => 'None.',
  price: () => '1.00',
};

function fill<T extends DataUser | DataProduct>(record: T, required: readonly Nullable[]): T {
  const missing = required.filter((field) => field in record && record[field as keyof T] === null);
  return { ...record, ...Object.fromEntries(missing.map((field) => [field, FILLED[field](record)])) };
}

/** The data with a value wherever the server must have one. */
export function fillData({ users, products }: UpstreamData, required: readonly Nullable[]): UpstreamData {
  return {
    users: users.map((user) => fill(user, required)),
    products: products.map((product) => fill(product, required)),
  };
}

/** A user of the single view. */
export type UserTruth = {
  readonly item: ModelRecord;
  readonly profile: Readonly<Record<'bio' | 'location' | 'avatar_url', string | null>>;
};

/** What a perfect reading of a server's records gives, in the order of the data. */
export type Truth = { readonly users: readonly UserTruth[]; readonly products: readonly ModelRecord[] };

function userTruth(user: DataUser, { ids, instants }: Holds): UserTruth {
  const { bio, location, avatar_url } = user;
  const created_at = instants === 'seconds' ? user.created_at.replace(/\.\d+Z$/, 'Z') : user.created_at;
  const name = `${user.given_name} ${user.family_name}`;
  return {
    item: { id: `user_${user[ids]}`, name, email: user.email, created_at },
    profile: { bio, location, avatar_url },
  };
}

function productTruth(product: DataProduct, { ids, prices }: Holds): ModelRecord {
  const { name, description, price, category } = product;
  const shown = price !== null && prices === 'shortest' ? String(Number(price)) : price;
  return { id: `prod_${product[ids]}`, name, description, price: shown, category };
}

/** The v1 records behind the data, as a server can hold them. */
export function truthOf({ users, products }: UpstreamData, holds: Holds): Truth {
  return {
    users: users.map((user) => userTruth(user, holds)),
    products: products.map((product) => productTruth(product, holds)),
  };
}
