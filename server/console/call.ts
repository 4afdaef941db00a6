// Calls the API's operations in process for a console session: same access, limits and checks as over HTTP.
import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import type { Ask, FileAsk } from '../../shared/console.ts';
import type { Exports } from '../exports/send.ts';
import { clientAddress, type Limits } from '../http/limits.ts';
import { invalid, type Answer } from '../http/problem.ts';
import { admit as admitCaller, type Caller, type Route } from '../http/route.ts';
import { validate } from '../http/validate.ts';

/** The caller and the request that the call belongs to. `recheck` reads the session and its access again. */
export type CallFrom = { ctx: Context; caller: Caller; recheck(): Promise<Caller> };

/** An operation whose rate limit and access check the caller has passed. */
export type Admitted = {
  /** @throws Problem the same as the operation returns over HTTP */
  call(asked: Omit<Ask, 'operation'>): Promise<Answer>;
  /** Validates without running the operation. @throws Problem with every fault found before it would run */
  check(asked: Omit<Ask, 'operation'>): Promise<void>;
};

export type Operations = {
  /** True if the caller has the scope, or the sign-in, that the operation requires. */
  may(caller: Caller, operation: string): boolean;
  /** Counts the call and checks access, before the server reads a form. @throws Problem */
  admit(from: CallFrom, operation: string): Promise<Admitted>;
  /** @throws Problem the same as the operation returns over HTTP */
  call(from: CallFrom, asked: Ask): Promise<Answer>;
  /** Writes a list as a file to `ctx`. @throws Problem the same as the operation returns over HTTP */
  sendFile(from: CallFrom, asked: FileAsk): Promise<void>;
};

/** Rate limit: one change counts as this many reads. */
const CHANGE_POINTS = 60;

/** @param routes the API's routes; the array may still grow after this call */
export function openOperations(routes: readonly Route[], limits: Limits, exports: Exports): Operations {
  const find = (operation: string): Route => {
    const declared = routes.find(({ operationId }) => operationId === operation);
    if (!declared) throw new Error(`no operation is called ${operation}`);
    return declared;
  };
  async function enter({ ctx, caller }: CallFrom, declared: Route): Promise<void> {
    // A page that redraws itself must not use up the rate limit of the merchant's programs.
    const points = declared.method === 'GET' ? 1 : CHANGE_POINTS;
    const counted = { bucket: 'console', who: caller.sessionId ?? String(caller.userId), points } as const;
    await admitCaller(declared, caller, limits, ctx, counted);
  }
  async function check({ caller }: CallFrom, declared: Route, { params, query = {}, body }: Omit<Ask, 'operation'>) {
    // The merchant defaults to the session's merchant.
    const given = { params: { merchantId: caller.merchantId, ...params }, query: { ...query }, body };
    return { ...(await validate(declared, given, caller)), caller };
  }
  async function admit(from: CallFrom, operation: string): Promise<Admitted> {
    const declared = find(operation);
    const { ctx, caller, recheck } = from;
    await enter(from, declared);
    return {
      async call(asked) {
        const checked = await check(from, declared, asked);
        const fingerprint = asked.key && declared.idempotent ? fingerprintOf({ ...asked, operation }) : null;
        return declared.run({
          ...checked,
          keyed: asked.key && fingerprint ? { key: asked.key, fingerprint } : null,
          ifMatch: asked.ifMatch ?? null,
          address: clientAddress(ctx),
          ctx,
          recheck,
        });
      },
      async check(asked) {
        await check(from, declared, asked);
        const faults = (await declared.checkAlso?.(asked.body, caller, [])) ?? [];
        if (faults.length > 0) throw invalid(faults);
      },
    };
  }
  return {
    may({ scopes, userId }, operation) {
      const { access } = find(operation);
      return access.kind === 'bearer' ? scopes.has(access.scope) : access.kind === 'user' && userId !== null;
    },
    admit,
    call: async (from, { operation, ...asked }) => (await admit(from, operation)).call(asked),
    async sendFile(from, asked) {
      const { csv, ...declared } = find(asked.operation);
      if (!csv) throw new Error(`${asked.operation} is no file`);
      await enter(from, declared);
      const checked = await check(from, declared, asked);
      const { dialect = 'excel' } = checked.query as { dialect?: 'excel' };
      const { merchantId } = from.caller;
      await exports.sendCsv(from.ctx, { ...csv, rows: csv.rows(checked), dialect, merchantId });
    },
  };
}

function fingerprintOf({ operation, params, body }: Ask): string {
  return createHash('sha256')
    .update(JSON.stringify([operation, params, body]))
    .digest('base64url');
}

/** The body as an HTTP client would parse it: JSON, or a picture as a `data:` URL. */
export function plain({ body, type }: Answer): unknown {
  if (body == null || body === '') return null;
  if (type?.startsWith('image/'))
    return `data:${type};base64,${Buffer.from(body as string | Uint8Array).toString('base64')}`;
  const isText = typeof body === 'string' || Buffer.isBuffer(body);
  return JSON.parse(isText ? String(body) : JSON.stringify(body));
}
