// The console's built render, and what its screens are drawn of, without a node.
import type { ConsoleRender, Drawn } from '../../shared/console.ts';
import type { Language } from '../../shared/language.ts';

export const consoleRender = (await import(
  new URL('../../dist/ssr/console.js', import.meta.url).href
)) as ConsoleRender;

/** The owner of a shop who may do everything, looking at `data`. */
export function drawnOf(data: unknown, lang: Language = 'pt', changes: Partial<Drawn<unknown>> = {}): Drawn<unknown> {
  return {
    visitor: {
      lang,
      sandbox: true,
      name: 'Ana Domingos',
      role: 'Owner',
      merchant: { id: '00000000-0000-7000-8000-00000000de30', name: 'Loja da Ilha' },
      formToken: 'q0m2Yx8v3R1ZpL6nT4uJ9sKdWfEbAhCiGoQlXyVzUwM',
      may: () => true,
    },
    opened: { params: {}, query: {} },
    data,
    tags: {},
    told: null,
    done: null,
    refused: null,
    key: '0b7c5d1e-6f2a-4a52-9c39-6f2d7d4a9a11',
    now: new Date('2026-03-02T09:00:00Z'),
    ...changes,
  };
}

const uuid = (nth: number) => `01a213f0-a553-76a1-a99e-${String(nth * 7_919).padStart(12, '0')}`;

/** The list of payments, 25 of them in every state. */
export function listOf(statuses: readonly string[]): object {
  const data = Array.from({ length: 25 }, (_, nth) => ({
    internalId: uuid(nth),
    reference: `FT2026-${1_000 + nth * 37}`,
    amount: 1_500 + nth * 1_237.5,
    currency: 'AOA',
    status: statuses[nth % statuses.length],
    paymentMethod: ['onetimepurchase', 'reference', 'qrcode', 'webframe'][nth % 4],
    createdAt: new Date(Date.UTC(2026, 2, 2, 9) - nth * 3_700_000).toISOString(),
  }));
  return { list: { data, next: 'MjAyNi0wMy0wMlQwODowMDowMFo', totalItems: 812_345 } };
}

/** One payment with everything that payers and merchants write. @param text each of those words */
export function paymentOf(text: string): object {
  const payment = {
    internalId: uuid(1),
    reference: text,
    entity: null,
    amount: 1_500,
    amountPaid: 1_500,
    amountRefunded: 500,
    amountAuthorized: null,
    amountCaptured: null,
    currency: 'AOA',
    status: 'Paid',
    paymentType: 'GPO',
    paymentMethod: 'onetimepurchase',
    createdAt: '2026-03-02T09:00:00.000Z',
    completedAt: '2026-03-02T09:01:00.000Z',
    expiresAt: null,
    description: text,
    customerEmail: text,
    customerName: text,
    customerTelephone: '923456789',
    documentNumber: text,
    customMetadata: { [text]: text },
    failure: null,
    late: false,
    checkoutUrl: 'https://pagar.example/checkout/x',
  };
  const at = '2026-03-02T09:00:00.000Z';
  const event = (nth: number, type: string) => ({ id: uuid(nth), type, occurredAt: at, details: {} });
  const delivery = { id: uuid(5), type: 'payment.paid', status: 'Abandoned', createdAt: at };
  return {
    payment,
    history: { data: [event(2, 'payment.created'), event(3, 'payment.paid')] },
    refunds: { data: [{ id: uuid(4), amount: 500, currency: 'AOA', status: 'Succeeded', createdAt: at }] },
    callbacks: { data: [delivery] },
    webhooks: { data: [{ id: uuid(6) }] },
    'webhook-0': { data: [{ ...delivery, id: uuid(7) }] },
  };
}
