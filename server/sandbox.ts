// The one door to the pretend world: loaded in a sandbox only. Production neither loads it nor opens a database that it made.
import type { Middleware } from 'koa';
import { DEMO_CLIENT_ID } from '../shared/sandbox.ts';
import type { Core } from './core.ts';
import { query } from './database/db.ts';
import type { Assets } from './http/page.ts';
import type { KeptMail } from './mail/post.ts';
import type { Rails } from './providers/registry.ts';

export type SandboxOptions = {
  core: Core;
  databaseUrl: string;
  /** This node, as it reaches itself. */
  localUrl: string;
  rails: Pick<Rails, 'gpoKey' | 'pprKey' | 'smsKey'>;
  assets: Assets;
  distDir: string;
  stops: (() => unknown)[];
};

export type Sandbox = {
  /** The simulator of the rails and the pages for people, in order. */
  middleware: Middleware[];
  /** Keeps mail for the inbox page. */
  keepMail(mail: KeptMail): Promise<void>;
};

/** The sandbox of a node, or null in production. @throws where production is given a sandbox's database: its credentials are known to all */
export async function enterSandbox(options: SandboxOptions): Promise<Sandbox | null> {
  const { core } = options;
  if (core.config.isSandbox) return (await import('../sandbox/mount.ts')).openSandbox(options);
  const demo = await query((tables) =>
    tables.selectFrom('clients').select('id').where('id', '=', DEMO_CLIENT_ID),
  ).first(core);
  if (demo)
    throw new Error('DATABASE_URL: this database holds the sandbox’s demo credentials; production refuses them');
  return null;
}
