import { authorize } from '../../../../src/pipeline/stages/call-stages.ts';
import type { Principal } from '../../../../src/pipeline/stages/call.ts';
import { createCall, later } from '../../../support/pipeline/call.ts';

function holderOf(...permissions: string[]): Principal {
  return { kind: 'key', id: 'k', subject: 'key:k', permissions: new Set(permissions), tier: 'standard' };
}

const handler = later(authorize(() => 'answer'));

describe('authorize', () => {
  it('lets a caller through who holds the permission', async () => {
    expect(await handler(createCall({ principal: holderOf('products:read', 'users:read') }))).toBe('answer');
  });

  it('lets anyone through where no permission is needed', async () => {
    expect(await handler(createCall({ permission: null }))).toBe('answer');
    expect(await handler(createCall({ permission: null, principal: holderOf() }))).toBe('answer');
  });

  it.each([[[]], [['products:read']], [['users:reader', 'users:*', 'USERS:READ', '*']]])(
    'answers 403 naming the missing permission to a holder of %j',
    async (permissions) => {
      await expect(handler(createCall({ principal: holderOf(...permissions) }))).rejects.toMatchObject({
        code: 'insufficient_permissions',
        status: 403,
        message: 'The credential lacks the permission users:read.',
        headers: {
          'WWW-Authenticate': 'Bearer realm="portico", error="insufficient_scope", scope="users:read"',
        },
      });
    },
  );

  it('lets nobody through whom no stage has identified', async () => {
    await expect(handler(createCall())).rejects.toMatchObject({ status: 403 });
  });
});
