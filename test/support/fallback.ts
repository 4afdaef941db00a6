// Creates payments whose push was refused, and replaces them by payments by reference (the switch).
import { expect } from 'vitest';
import type { Reply, TestApp } from './app.ts';
import { declined, notify, PENDING_PHONE, untilSent } from './notify.ts';
import { webframe } from './payments.ts';

/** The body of a webframe creation of 1500 Kz that allows the switch to a reference. */
export function replaceable(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return webframe({ metadata: { allowReferenceFallback: true }, ...changes });
}

/** Creates a payment and refuses its first push. The app needs NOTIFY_ENV. */
export async function createRefused(app: TestApp, body: object | string = replaceable(), token?: string): Promise<any> {
  const { status, text, json } = await app.call('/api/payments', { body, ...(token && { token }) });
  if (status !== 201) throw new Error(`not created: ${status} ${text}`);
  await refusePush(app, json);
  return json;
}

/** The payer requests a push and refuses it. */
export async function refusePush(app: TestApp, payment: { id: string; clientToken: string }): Promise<void> {
  await app.call(`/checkout/${payment.clientToken}/pay`, { body: { phoneNumber: PENDING_PHONE }, token: null });
  await notify(app, (await untilSent(app, payment.id)).id, declined('CUSTOMER_REFUSED'));
}

/** Sends the request of the page's button "pay by reference". */
export function switchOver(app: TestApp, { clientToken }: { clientToken: string }): Promise<Reply> {
  return app.call(`/checkout/${clientToken}/reference`, { method: 'POST', token: null });
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** Sends the same request as a form, like a browser without JavaScript. */
export function switchByForm(app: TestApp, { clientToken }: { clientToken: string }, query = ''): Promise<Reply> {
  return app.call(`/checkout/${clientToken}/reference${query}`, { body: '', headers: FORM, token: null });
}

/** Reads the checkout session like the page. */
export async function openSession(app: TestApp, { clientToken }: { clientToken: string }, query = ''): Promise<any> {
  return (await app.call(`/checkout/${clientToken}/session${query}`, { token: null })).json;
}

/** Returns replaced payments with their replacements, and whether both rows refer to each other. */
const CHAINS = `
  select f.reference, f.amount_minor::int as asked, f.status as first, s.status as second, r.status as payable,
    f.flags || s.flags as flags,
    f.replaced_by_id is not distinct from s.id as is_linked,
    f.amount_paid_minor::int as first_paid, s.amount_paid_minor::int as second_paid
  from payments f join payments s on s.replaces_id = f.id left join payment_references r on r.payment_id = s.id`;

const OPEN = new Set(['Pending', 'Processing']);

/**
 * Expects that at most one payment of a replacement chain is payable, and that a reference has its payment's status.
 * Expects that an overpaid chain has exactly the flags of an overpayment. Returns the chains.
 */
export async function expectOnePayable(app: Pick<TestApp, 'sql'>): Promise<any[]> {
  const chains = await app.sql(CHAINS);
  for (const chain of chains) {
    const isBoth = OPEN.has(chain.first) && OPEN.has(chain.second);
    const { asked, first_paid, second_paid, flags } = chain;
    const isTwice = [chain.first, chain.second].includes('Paid') && first_paid > 0 && second_paid > 0;
    const isOverpaid = isTwice || first_paid > asked || second_paid > asked;
    expect({ ...chain, isBoth, isOverpaid: flags.includes('overpaid') }).toEqual({
      ...chain,
      isBoth: false,
      isOverpaid,
      payable: chain.second,
      is_linked: true,
    });
    expect(chain.first === 'Paid' && OPEN.has(chain.second), 'paid, and still payable').toBe(false);
  }
  const alone = await app.sql(`select from payments f where replaced_by_id is not null
    and not exists (select from payments s where s.id = f.replaced_by_id and s.replaces_id = f.id)`);
  expect(alone).toEqual([]);
  return chains;
}
