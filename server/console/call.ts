// The API's operations, called in process for somebody whose sign-in is no token: the same access, limits and checks as over HTTP.
import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import type { Ask, FileAsk } from '../../shared/console.ts';
import type { Exports } from '../http/export.ts';
import { clientAddress, takeFrom, type Limits } from '../http/limits.ts';
import type { Answer } from '../http/problem.ts';
import { requireAccess, validate, type Caller, type Route } from '../http/route.ts';

/** Who calls, by which request; `recheck` asks anew whether they still may. */
export type CallFrom = { ctx: Context; caller: Caller; recheck(): Promise<Caller> };

export type Operations = {
  /** Whether this caller has what the operation asks for. */
  may(caller: Caller, operation: string): boolean;
  /** @throws Problem as the operation answers it over HTTP */
  call(from: CallFrom, asked: Ask): Promise<Answer>;
  /** A list as a file, written to `ctx`. @throws Problem likewise */
  sendFile(from: CallFrom, asked: FileAsk): Promise<void>;
};

/** @param routes those of the API, also ones that are added later */
export function openOperations(routes: readonly Route[], limits: Limits, exports: Exports): Operations {
  const find = (operation: string): Route => {
    const declared = routes.find(({ operationId }) => operationId === operation);
    if (!declared) throw new Error(`no operation is called ${operation}`);
    return declared;
  };
  async function enter({ ctx, caller }: CallFrom, declared: Route, { params, query = {}, body }: Ask) {
    if (declared.bucket) await takeFrom(limits, declared.bucket, caller.merchantId || String(caller.userId), ctx);
    requireAccess(declared.access, caller);
    // Whose merchant it is goes without saying: their session's.
    const given = { params: { merchantId: caller.merchantId, ...params }, query: { ...query }, body };
    return { ...(await validate(declared, given, caller)), caller };
  }
  return {
    may({ scopes, userId }, operation) {
      const { access } = find(operation);
      return access.kind === 'bearer' ? scopes.has(access.scope) : access.kind === 'user' && userId !== null;
    },
    async call(from, asked) {
      const declared = find(asked.operation);
      const { ctx, recheck } = from;
      const checked = await enter(from, declared, asked);
      const keyed = asked.key && declared.idempotent ? { key: asked.key, fingerprint: fingerprintOf(asked) } : null;
      return declared.run({
        ...checked,
        keyed,
        ifMatch: asked.ifMatch ?? null,
        address: clientAddress(ctx),
        ctx,
        recheck,
      });
    },
    async sendFile(from, asked) {
      const { csv, ...declared } = find(asked.operation);
      if (!csv) throw new Error(`${asked.operation} is no file`);
      const checked = await enter(from, declared, asked);
      const { dialect = 'excel' } = checked.query as { dialect?: 'excel' };
      const { merchantId } = from.caller;
      await exports.send(from.ctx, { ...csv, rows: csv.rows(checked), dialect, merchantId });
    },
  };
}

function fingerprintOf({ operation, params, body }: Ask): string {
  return createHash('sha256')
    .update(JSON.stringify([operation, params, body]))
    .digest('base64url');
}
