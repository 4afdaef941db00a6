// Calls the API's operations in process for a console session, with the same access, limits and checks as over HTTP.
import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import type { OperationCall, FileCall } from '../../shared/console.ts';
import type { Exports } from '../exports/send.ts';
import { clientAddress, type Limits } from '../http/limits.ts';
import { invalidFields, type Answer } from '../http/problem.ts';
import { admit as admitCaller, type Caller, type Route } from '../http/route.ts';
import { validate } from '../http/validate.ts';

/** The caller of an operation, and the HTTP request behind it. `recheck` reads the session and its access again. */
export type CallContext = { ctx: Context; caller: Caller; recheck(): Promise<Caller> };

/** An operation call that has passed the rate limit and the access check. */
export type AdmittedCall = {
  /** Runs the operation. @throws Problem the same as the operation returns over HTTP */
  call(request: Omit<OperationCall, 'operation'>): Promise<Answer>;
  /** Validates a request without running the operation. @throws Problem with every fault found by validation */
  check(request: Omit<OperationCall, 'operation'>): Promise<void>;
};

export type Operations = {
  /** True if the caller has the scope, or the sign-in, that the operation requires. */
  may(caller: Caller, operation: string): boolean;
  /** Counts the call and checks the caller's access, before the server reads a form. @throws Problem */
  admit(from: CallContext, operation: string): Promise<AdmittedCall>;
  /** Admits and runs an operation. @throws Problem the same as the operation returns over HTTP */
  call(from: CallContext, request: OperationCall): Promise<Answer>;
  /** Writes a list as a file to `ctx`. @throws Problem the same as the operation returns over HTTP */
  sendFile(from: CallContext, request: FileCall): Promise<void>;
};

/** Rate limit of console calls: the number of reads that one change counts as. */
const CHANGE_POINTS = 60;

/** Opens the operations for console sessions. @param routes the API's routes; more may be added after this call */
export function openOperations(routes: readonly Route[], limits: Limits, exports: Exports): Operations {
  const find = (operation: string): Route => {
    const declared = routes.find(({ operationId }) => operationId === operation);
    if (!declared) throw new Error(`unknown operation: ${operation}`);
    return declared;
  };
  async function enter({ ctx, caller }: CallContext, declared: Route): Promise<void> {
    // A page that redraws automatically must not use up the rate limit of the merchant's programs.
    const points = declared.method === 'GET' ? 1 : CHANGE_POINTS;
    const counted = { bucket: 'console', who: caller.sessionId ?? String(caller.userId), points } as const;
    await admitCaller(declared, caller, limits, ctx, counted);
  }
  async function check(
    { caller }: CallContext,
    declared: Route,
    { params, query = {}, body }: Omit<OperationCall, 'operation'>,
  ) {
    // The merchant of an operation defaults to the session's merchant.
    const input = { params: { merchantId: caller.merchantId, ...params }, query: { ...query }, body };
    return { ...(await validate(declared, input, caller)), caller };
  }
  async function admit(from: CallContext, operation: string): Promise<AdmittedCall> {
    const declared = find(operation);
    const { ctx, caller, recheck } = from;
    await enter(from, declared);
    return {
      async call(request) {
        const checked = await check(from, declared, request);
        const fingerprint = request.key && declared.idempotent ? fingerprintOf({ ...request, operation }) : null;
        return declared.run({
          ...checked,
          keyed: request.key && fingerprint ? { key: request.key, fingerprint } : null,
          ifMatch: request.ifMatch ?? null,
          address: clientAddress(ctx),
          ctx,
          recheck,
        });
      },
      async check(request) {
        await check(from, declared, request);
        const faults = (await declared.checkAlso?.(request.body, caller, [])) ?? [];
        if (faults.length > 0) throw invalidFields(faults);
      },
    };
  }
  return {
    may({ scopes, userId }, operation) {
      const { access } = find(operation);
      return access.kind === 'bearer' ? scopes.has(access.scope) : access.kind === 'user' && userId !== null;
    },
    admit,
    call: async (from, { operation, ...request }) => (await admit(from, operation)).call(request),
    async sendFile(from, request) {
      const { csv, ...declared } = find(request.operation);
      if (!csv) throw new Error(`${request.operation} has no CSV format`);
      await enter(from, declared);
      const checked = await check(from, declared, request);
      const { dialect = 'excel' } = checked.query as { dialect?: 'excel' };
      const { merchantId } = from.caller;
      await exports.sendCsv(from.ctx, { ...csv, rows: csv.rows(checked), dialect, merchantId });
    },
  };
}

function fingerprintOf({ operation, params, body }: OperationCall): string {
  return createHash('sha256')
    .update(JSON.stringify([operation, params, body]))
    .digest('base64url');
}

/** The body of an answer as an HTTP client would parse it: JSON, or an image as a `data:` URL. */
export function plainBody({ body, type }: Answer): unknown {
  if (body == null || body === '') return null;
  if (type?.startsWith('image/'))
    return `data:${type};base64,${Buffer.from(body as string | Uint8Array).toString('base64')}`;
  const isText = typeof body === 'string' || Buffer.isBuffer(body);
  return JSON.parse(isText ? String(body) : JSON.stringify(body));
}
