// The declared routes of the gateway, and the faults that their schemas find.
import { parse } from 'node:querystring';
import { tokenRoutes } from '../../server/oauth/routes.ts';
import type { Tokens } from '../../server/oauth/verify.ts';
import type { SigningKeys } from '../../server/oauth/tokens.ts';
import { peopleRoutes } from '../../server/people/routes.ts';
import { articleRoutes } from '../../server/articles/routes.ts';
import { billingRoutes } from '../../server/billing/routes.ts';
import { bookRoutes } from '../../server/books/routes.ts';
import { webhookRoutes } from '../../server/webhooks/routes.ts';
import type { CallbackDeps } from '../../server/webhooks/schemas.ts';
import type { CheckoutDeps } from '../../server/checkout/context.ts';
import { checkoutRoutes } from '../../server/checkout/routes.ts';
import type { Core } from '../../server/core.ts';
import { parseExactJson } from '../../server/http/json.ts';
import { invalidFields, Problem, type Fault } from '../../server/http/problem.ts';
import { interfaceRoutes, type ProblemPage } from '../../server/docs/interface.ts';
import type { Exports } from '../../server/exports/send.ts';
import type { Limits } from '../../server/http/limits.ts';
import { type Route } from '../../server/http/route.ts';
import { checkShape } from '../../server/http/validate.ts';
import { accessRoutes } from '../../server/access/routes.ts';
import { auditRoutes } from '../../server/audit/routes.ts';
import { linkRoutes } from '../../server/links/routes.ts';
import { merchantRoutes } from '../../server/merchants/routes.ts';
import { notificationRoutes } from '../../server/notifications/routes.ts';
import { eventRoutes, type EventDeps } from '../../server/events/routes.ts';
import { privacyRoutes } from '../../server/privacy/routes.ts';
import { refundRoutes } from '../../server/payments/refund/routes.ts';
import { paymentRoutes } from '../../server/payments/routes.ts';
import { notificationRoutes as railNotificationRoutes } from '../../server/rails/notifications.ts';
import { railRoutes } from '../../server/rails/routes.ts';
import { referenceRoutes } from '../../server/payments/reference/routes.ts';
import { receiptRoutes } from '../../server/receipts/routes.ts';
import { referenceSmsRoutes } from '../../server/reference-sms/routes.ts';
import { shiftRoutes } from '../../server/shifts/routes.ts';
import { smsRoutes } from '../../server/sms/routes.ts';
import { statusRoutes, type StatusDeps } from '../../server/http/status.ts';
import { terminalRoutes } from '../../server/terminals/routes.ts';
import { messageOf } from '../../shared/messages.ts';

// The tests call no handler, so the handlers' dependencies may be empty.
const core = { config: {} } as Core;
export const declaredRoutes: Route[] = [
  ...tokenRoutes(core, {} as SigningKeys, {} as Tokens),
  ...paymentRoutes(core),
  ...refundRoutes(core),
  ...referenceRoutes(core),
  ...bookRoutes(core),
  ...shiftRoutes(core),
  ...terminalRoutes(core),
  ...eventRoutes({ core } as EventDeps),
  ...webhookRoutes(core, {} as CallbackDeps),
  ...peopleRoutes(core),
  ...merchantRoutes(core, async () => {}),
  ...accessRoutes(core),
  ...auditRoutes(core),
  ...notificationRoutes(core),
  ...privacyRoutes(core, {} as Exports),
  ...billingRoutes(core),
  ...smsRoutes(core),
  ...referenceSmsRoutes(core),
  ...receiptRoutes(core),
  ...checkoutRoutes({ core, render: {} } as CheckoutDeps),
  ...linkRoutes(core),
  ...articleRoutes(core),
  ...railRoutes(core),
  ...railNotificationRoutes({ core, apply: async () => ({ outcome: 'applied', about: null }), limits: {} as Limits }),
  ...statusRoutes({} as StatusDeps),
  ...interfaceRoutes(() => ({}), {} as ProblemPage),
];

type Refusal = {
  /** The problem code of the refusal. Null if the schemas accept the request. */
  code: string | null;
  /** Each fault as `/pointer code`. */
  faults: string[];
  messages: string[];
};

/** Returns the faults of a request body, given as JSON text or as a value. */
export function refuseBody(operationId: string, body: unknown): Refusal {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return refuse(operationId, () => ({ query: {}, input: text === undefined ? undefined : parseExactJson(text) }));
}

/** Returns the faults of a query string. */
export function refuseQuery(operationId: string, query: string): Refusal {
  return refuse(operationId, () => ({ query: parse(query), input: undefined }));
}

type ParsedRequest = { query: Record<string, unknown>; input: unknown };

function refuse(operationId: string, read: () => ParsedRequest): Refusal {
  const declared = declaredRoutes.find((route) => route.operationId === operationId);
  if (!declared) throw new Error(`there is no ${operationId}`);
  try {
    const { query, input } = read();
    const { faults } = checkShape(declared, query, input);
    return faults.length === 0 ? { code: null, faults: [], messages: [] } : show(invalidFields(faults).code, faults);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return show(error.code, error.options.faults ?? []);
  }
}

const show = (code: string, faults: Fault[]): Refusal => ({
  code,
  faults: faults.map((found) => `${found.pointer} ${found.code}`),
  messages: faults.map((found) => messageOf(found.code, 'en', found.params)),
});
