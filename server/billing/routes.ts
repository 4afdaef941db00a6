// The billing API: plans, the merchant's subscription, its usage and invoices.
import { z } from 'zod';
import type { Core } from '../core.ts';
import { actorOf } from '../audit/record.ts';
import { Problem } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { runKeyed } from '../http/idempotency.ts';
import { invoiceRoutes } from './invoices.ts';
import { dayOf, monthOf } from '../../shared/luanda.ts';
import { choosePlan, findSubscription, listPlans } from './plans.ts';
import {
  plan,
  readSpan,
  subscription,
  subscriptionRequest,
  usage,
  usageQuery,
  viewPlan,
  viewSubscription,
} from './schemas.ts';
import { readUsage } from './issue.ts';

const reads = {
  method: 'GET',
  tag: 'Billing',
  access: { kind: 'bearer', scope: 'billing:read' },
  bucket: 'read',
} as const;

export function billingRoutes(core: Core): Route[] {
  return [
    declarePlans(core),
    declareSubscription(core),
    declareChoice(core),
    declareUsage(core),
    ...invoiceRoutes(core),
  ];
}

function declarePlans(core: Core): Route {
  return route({
    ...reads,
    path: '/api/billing/plans',
    operationId: 'listPlans',
    summary: 'List plans, cheapest first',
    description: 'A plan never changes: another price is another plan.',
    answers: { 200: { description: 'All plans', schema: z.object({ data: z.array(plan) }) } },
    run: async () => ({ status: 200, body: { data: (await listPlans(core)).map(viewPlan) } }),
  });
}

function declareSubscription(core: Core): Route {
  return route({
    ...reads,
    path: '/api/billing/subscription',
    operationId: 'readSubscription',
    summary: 'Read the current and the next plan',
    refusals: { 404: 'not_found: none was chosen yet' },
    answers: { 200: { description: 'The subscription', schema: subscription } },
    async run({ caller }) {
      const chosen = await findSubscription(core, caller.merchantId, monthOf(core.clock.now()));
      if (!chosen) throw new Problem('not_found');
      return { status: 200, body: viewSubscription(chosen) };
    },
  });
}

function declareChoice(core: Core): Route {
  return route({
    ...reads,
    method: 'PUT',
    path: '/api/billing/subscription',
    operationId: 'choosePlan',
    summary: 'Choose a plan',
    description:
      'The first choice is valid for the whole current month in Luanda, a later choice from the next month on. ' +
      'Choosing the current plan again withdraws a planned change.',
    access: { kind: 'bearer', scope: 'billing:write' },
    bucket: 'write',
    body: subscriptionRequest,
    idempotent: true,
    example: { planId: '01980000-0000-7000-8000-000000000001' },
    refusals: { 400: 'unknown_plan: there is none with this id that can be chosen' },
    answers: { 200: { description: 'The changed subscription', schema: subscription } },
    run: ({ caller, body, keyed, address }) =>
      runKeyed(core, { merchantId: caller.merchantId, keyed }, async (db) => {
        const choice = { merchantId: caller.merchantId, planId: body.planId, actor: actorOf(caller, address) };
        return { status: 200, body: viewSubscription(await choosePlan(core, db, choice)) };
      }),
  });
}

function declareUsage(core: Core): Route {
  return route({
    ...reads,
    path: '/api/billing/usage',
    operationId: 'readUsage',
    summary: 'Payments received and refunds made, by day',
    description:
      'Days in Luanda. A payment counts once, on the day of its recording. A refund counts on the day of its ' +
      'completion. Without `from` and `to` the answer has the current month so far.',
    query: usageQuery,
    refusals: { 400: 'invalid_day, date_range, date_span: at most 366 days' },
    answers: { 200: { description: 'The usage', schema: usage } },
    async run({ caller, query }) {
      const span = readSpan(query, dayOf(core.clock.now()));
      return { status: 200, body: await readUsage(core, caller.merchantId, span) };
    },
  });
}
