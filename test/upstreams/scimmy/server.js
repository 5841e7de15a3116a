import { readFileSync } from 'node:fs';
import express from 'express';
import SCIMMY from 'scimmy';
import SCIMMYRouters from 'scimmy-routers';

const data = JSON.parse(readFileSync(process.env.DATA, 'utf8'));

const profile = 'urn:ietf:params:scim:schemas:extension:profile:2.0:User';

/** A user as a directory keeps it; what is not known is left out. */
const users = data.users.map((user) => ({
  id: user.uuid,
  externalId: `hr-${user.id}`,
  userName: `login${user.id}`,
  password: 'never-to-be-shown',
  name: {
    formatted: `${user.given_name} ${user.family_name}`,
    givenName: user.given_name,
    familyName: user.family_name,
  },
  active: true,
  ...(user.email !== null && {
    emails: [
      { value: `home.${user.id}@private.example`, type: 'home' },
      { value: user.email, type: 'work', primary: true },
    ],
  }),
  ...(user.location !== null && { addresses: [{ type: 'work', locality: user.location }] }),
  ...(user.avatar_url !== null && {
    photos: [
      { value: 'https://img.example/small.png', type: 'thumbnail' },
      { value: user.avatar_url, type: 'photo' },
    ],
  }),
  ...(user.bio !== null && { [profile]: { biography: user.bio } }),
  meta: { created: new Date(user.created_at) },
}));
const byId = new Map(users.map((user) => [user.id, user]));

const { Attribute, SchemaDefinition } = SCIMMY.Types;
SCIMMY.Resources.declare(SCIMMY.Resources.User)
  .extend(SCIMMY.Schemas.EnterpriseUser, false)
  .egress((resource) => {
    if (resource.id === undefined) {
      return resource.filter === undefined ? users : resource.filter.match(users);
    }
    const found = byId.get(resource.id);
    if (found === undefined) throw new SCIMMY.Types.Error(404, null, `Resource ${resource.id} not found`);
    return found;
  });
SCIMMY.Schemas.User.extend(
  new SchemaDefinition('Profile', profile, 'What people say of themselves', [
    new Attribute('string', 'biography', { description: 'Free text' }),
  ]),
);

/** The directory; each request needs the token. */
const createRouters = () =>
  new SCIMMYRouters({
    type: 'bearer',
    handler: (request) => {
      if (request.header('Authorization') !== 'Bearer the-token-of-the-directory')
        throw new Error('Authorization not detected!');
      return '';
    },
  });

const app = express();

// On Express 5, scimmy-routers passes startIndex and count over: it writes numbers into req.query, which Express makes
// anew wherever it is read. This is how it was in Express 4.
function keepQuery(request, response, next) {
  Object.defineProperty(request, 'query', { value: { ...request.query }, writable: true });
  next();
}
app.use('/scim/v2', keepQuery, createRouters());

// And as it comes: there, only POST /.search takes windows.
app.use('/express5/v2', createRouters());

app.listen(process.env.PORT, '127.0.0.1', () => console.log('listening'));
