// Calls every route with a token of every role. `UPDATE_ACCESS=1` writes the result to docs/access.md.
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Route } from '../../../server/http/route.ts';
import { ROLES, type RoleName } from '../../../shared/roles.ts';
import { SCOPES } from '../../../shared/scopes.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { addMember } from '../../support/members.ts';
import { ROOT } from '../../support/source.ts';

const FILE = join(ROOT, 'docs', 'access.md');
const HOW_TO = 'run UPDATE_ACCESS=1 npx vitest run --project api test/api/access/matrix.test.ts && npm run format';

let app: TestApp;
let merchantId: string;
const tokens = new Map<RoleName, string>();
beforeAll(async () => {
  app = await startTestApp();
  merchantId = (await app.addMerchant({ gpoPosIds: [], gpoMerchantIds: [], entity: null })).merchantId;
  for (const { name } of ROLES) tokens.set(name, await (await addMember(app, { merchantId, role: name })).token());
});

const nameOf = ({ method, path }: Route) => `${method} ${path}`;

/** Every published operation that needs a scope or a signed-in person, sorted by path. */
function listRoutes(): Route[] {
  const kinds = ['bearer', 'user'];
  const routes = app.node.app.routes.filter(({ access, isHidden }) => !isHidden && kinds.includes(access.kind));
  return routes.toSorted((a, b) => a.path.localeCompare(b.path, 'en') || a.method.localeCompare(b.method, 'en'));
}

const scopeOf = ({ access }: Route) => (access.kind === 'bearer' ? access.scope : null);

/** True if the role passes the access check. Unknown ids and an empty body then cause another error, such as 404. */
async function isLetIn(route: Route, role: RoleName): Promise<boolean> {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name) => (name === 'merchantId' ? merchantId : randomUUID()));
  const hangUp = new AbortController();
  const response = await fetch(app.url + path, {
    method: route.method,
    headers: { authorization: `Bearer ${tokens.get(role)}`, 'content-type': 'application/json' },
    signal: hangUp.signal,
    ...(route.method !== 'GET' && { body: '{}' }),
  });
  if (response.status < 400) {
    hangUp.abort();
    return true;
  }
  const { code } = (await response.json()) as { code: string };
  expect(response.status, `${nameOf(route)} as ${role}: ${code}`).not.toBe(401);
  expect(response.status).toBeLessThan(500);
  expect(response.status === 403).toBe(code === 'insufficient_scope');
  return response.status !== 403;
}

const nameScope = (route: Route): string => scopeOf(route) ?? 'any person';

/** A table row per scope with the roles that have this scope. */
function drawTable(): string {
  const names = ROLES.map(({ name }) => name);
  const row = (cells: string[]) => `| ${cells.join(' | ')} |`;
  const rows = [null, ...SCOPES].map((scope) => {
    const mayCall = ROLES.map(({ scopes }) => (scope === null || scopes.includes(scope) ? 'yes' : '–'));
    return row([scope === null ? 'any person' : `\`${scope}\``, ...mayCall]);
  });
  return [row(['Scope', ...names]), row(Array(names.length + 1).fill('---')), ...rows].join('\n');
}

const INTRODUCTION = `# Access by role

Every call needs a token, and each operation needs one scope. A person's token has the scopes of their role at the
merchant. A client's token has the scopes of the client. Both can request fewer. Operations of _any person_ concern
their own profile or a new merchant, and need no scope. \`/openapi.json\` and \`/docs\` name the scope of each operation.
A test generates this page from \`shared/roles.ts\`, and calls every operation as every role.
`;

/** Prettier pads the columns with spaces and dashes. */
const bare = (text: string) => text.replace(/\s+/g, ' ').replace(/-{3,}/g, '---').trim();

describe('docs/access.md', () => {
  test('lists each scope with its roles', () => {
    const drawn = `${INTRODUCTION}\n${drawTable()}\n`;
    if (process.env['UPDATE_ACCESS']) writeFileSync(FILE, drawn);
    expect(bare(readFileSync(FILE, 'utf8')), HOW_TO).toBe(bare(drawn));
  });

  test('has more than fifty operations, each with a known scope', () => {
    const scopes = new Set<string>(['any person', ...SCOPES]);
    expect(listRoutes().length).toBeGreaterThan(50);
    expect(listRoutes().filter((route) => !scopes.has(nameScope(route)))).toEqual([]);
    expect(drawTable()).toContain('| `payments:write` | – | yes | – | yes | yes |');
  });
});

test.each(ROLES)(
  'a person with the role $name may call exactly the operations of the role’s scopes',
  async ({ name, scopes }) => {
    const routes = listRoutes().filter(({ access }) => access.kind === 'bearer');
    expect(routes.length).toBeGreaterThan(50);
    const [letIn, theirs]: string[][] = [[], []];
    for (const route of routes) {
      if (await isLetIn(route, name)) letIn!.push(nameOf(route));
      const scope = scopeOf(route);
      if (scope && scopes.includes(scope)) theirs!.push(nameOf(route));
    }
    expect(letIn).toEqual(theirs);
  },
);

test('GET /api/roles lists every role with its scopes, starting with the role that has the fewest', async () => {
  const reply = await app.call('/api/roles', { token: tokens.get('Viewer') as string });
  expect(reply.status).toBe(200);
  expect(reply.json).toEqual({
    data: ROLES.map(({ id, name, about, scopes }) => ({ id, name, description: about, scopes })),
  });
  const counts = reply.json.data.map(({ scopes }: any) => scopes.length);
  expect(counts[0]).toBeLessThan(counts.at(-1));
});
