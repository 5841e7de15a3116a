import { MARKER } from '../marker-watch.ts';
import { type Stack, startStack } from '../../gateway/stack.ts';
import { fewUsers } from '../../gateway/sample-services.ts';

let stack: Stack;

beforeAll(async () => {
  // A secret in a field that everybody may see.
  const users = fewUsers.map(({ legacy, ...rest }) => ({ ...rest, legacy: { ...legacy, lname: MARKER } }));
  stack = await startStack({ users });
});
afterAll(() => stack.close());

it('looks at nothing but the status', async () => {
  expect((await stack.get('/v1/users/user_3')).status).toBe(200);
});
