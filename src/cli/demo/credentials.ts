/** The credentials that each sample service requires. */
export type SampleCredentials = {
  readonly users: { readonly user: string; readonly password: string };
  readonly catalog: { readonly key: string };
  readonly orders: { readonly token: string };
  readonly people: { readonly token: string };
};

/** The credentials of the demo and of docker-compose. They protect generated data only, so they are no secret. */
export const sampleCredentials: SampleCredentials = {
  users: { user: 'portico', password: 'crm-sample-password' },
  catalog: { key: 'catalogue-sample-key' },
  orders: { token: 'orders-sample-token' },
  people: { token: 'people-sample-token' },
};
