// The API's operations, called in process for somebody whose sign-in is no token: the same access, limits and checks as over HTTP.
import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import type { Ask, FileAsk } from '../../shared/console.ts';
import type { Exports } from '../http/export.ts';
import { clientAddress, takeFrom, type Limits } from '../http/limits.ts';
import { invalid, type Answer } from '../http/problem.ts';
import { requireAccess, validate, type Caller, type Route } from '../http/route.ts';

/** Who calls, by which request; `recheck` asks anew whether they still may. */
export type CallFrom = { ctx: Context; caller: Caller; recheck(): Promise<Caller> };

export type Operations = {
  /** Whether this caller has what the operation asks for. */
  may(caller: Caller, operation: string): boolean;
  /** @throws Problem as the operation answers it over HTTP */
  call(from: CallFrom, asked: Ask): Promise<Answer>;
  /** Asks nothing of it. @throws Problem with all that it would refuse this for, as far as that shows beforehand */
  check(from: CallFrom, asked: Ask): Promise<void>;
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
    async check(from, asked) {
      const declared = find(asked.operation);
      await enter(from, declared, asked);
      const faults = (await declared.checkAlso?.(asked.body, from.caller, [])) ?? [];
      if (faults.length > 0) throw invalid(faults);
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

/** An answer's body as its reader over HTTP has it: JSON, and a picture as what an `img` shows. */
export function plain({ body, type }: Answer): unknown {
  if (body == null || body === '') return null;
  if (type?.startsWith('image/'))
    return `data:${type};base64,${Buffer.from(body as string | Uint8Array).toString('base64')}`;
  const isText = typeof body === 'string' || Buffer.isBuffer(body);
  return JSON.parse(isText ? String(body) : JSON.stringify(body));
}
