// GET /api/roles: the roles that a merchant can grant. All merchants have the same roles.
import { z } from 'zod';
import { ROLE_NAMES, ROLES } from '../../shared/roles.ts';
import { route, type Route } from '../http/route.ts';

const role = z
  .object({ id: z.uuid(), name: z.enum(ROLE_NAMES), description: z.string(), scopes: z.array(z.string()) })
  .meta({ id: 'Role' });

export function roleRoutes(): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/roles',
      operationId: 'listRoles',
      tag: 'People',
      summary: 'List the roles that can be granted',
      description: 'Ordered from the fewest to the most rights. The ids never change.',
      access: { kind: 'bearer', scope: 'merchant:read' },
      bucket: 'read',
      answers: { 200: { description: 'All roles', schema: z.object({ data: z.array(role) }) } },
      run: () => ({
        status: 200,
        body: { data: ROLES.map(({ id, name, about, scopes }) => ({ id, name, description: about, scopes })) },
      }),
    }),
  ];
}
