// The operator at the machine of a test's gateway: commands beside the running node, on its database and with its keys.
import { userInfo } from 'node:os';
import { expect } from 'vitest';
import { TEST_ENV, type TestApp } from './app.ts';
import { startCli, startHere, type CliProcess, type Ended } from './cli.ts';

/** What a command reads of its gateway. */
function operatorEnv(app: TestApp): Record<string, string> {
  return {
    DATABASE_URL: app.databaseUrl,
    SECRETS_KEYS: TEST_ENV.SECRETS_KEYS,
    PUBLIC_URL: app.node.core.publicUrl,
    LOG_LEVEL: 'silent',
  };
}

/** `npm run balcao -- …` to its end, inside of this process; `env` overrides, `piped` comes in at its stdin. */
export function operate(app: TestApp, args: string[], env: Record<string, string> = {}, piped = ''): Promise<Ended> {
  return startHere(args, { env: { ...operatorEnv(app), ...env }, piped }).ended;
}

/** The same as a process of its own: that it ends by itself, and that it stays as long as it must. */
export function operateAlone(app: TestApp, args: string[]): Promise<Ended> {
  return startOperator(app, args).ended;
}

/** The same, while it runs. */
export function startOperator(app: TestApp, args: string[]): CliProcess {
  return startCli(args, operatorEnv(app));
}

/** What an action answers to programs. @throws when it failed */
export async function operateJson(app: TestApp, ...args: string[]): Promise<any> {
  const { code, stdout, stderr } = await operate(app, [...args, '--json']);
  if (code !== 0) throw new Error(`exit code ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

/** It ends with this exit code, saying this, and nothing of the program's inside. */
export async function expectRefusal(app: TestApp, args: string[], code: number, said: string): Promise<void> {
  expectEnd(await operate(app, args), code, said);
}

/** It ended so, saying this. */
export function expectEnd({ code, stdout, stderr }: Ended, expected: number, said: string): void {
  expect([code, stdout]).toEqual([expected, '']);
  expect(stderr).toContain(said);
  expect(stderr).not.toContain('    at ');
}

/** What the audit has of an action, the oldest first: every entry must be the operator's, by their name here. */
export async function readAudit(app: TestApp, action: string, merchantId: string | null): Promise<any[]> {
  const rows = await app.sql(
    'select * from audit_entries where action = $1 and merchant_id is not distinct from $2::uuid order by seq',
    [action, merchantId],
  );
  for (const { actor_kind, actor_id, address } of rows)
    expect([actor_kind, actor_id, address]).toEqual(['operator', userInfo().username, null]);
  return rows;
}

/** The refusal of a command that must ask without a terminal. */
export const NO_TERMINAL = 'there is no terminal. --yes confirms the change.';
