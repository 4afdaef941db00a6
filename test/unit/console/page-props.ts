// Props for the console's built screens, without a node.
import type { ConsoleRender, ScreenProps } from '../../../shared/console.ts';
import type { Language } from '../../../shared/language.ts';

export const consoleRender = (await import(
  new URL('../../../dist/ssr/console.js', import.meta.url).href
)) as ConsoleRender;

/** The props of a screen for a shop's owner with all permissions. */
export function pageOf(
  data: unknown,
  lang: Language = 'pt',
  changes: Partial<ScreenProps<unknown>> = {},
): ScreenProps<unknown> {
  return {
    visitor: {
      lang,
      sandbox: true,
      name: 'Ana Domingos',
      role: 'Owner',
      merchant: { id: '00000000-0000-7000-8000-00000000de30', name: 'Loja da Ilha' },
      gatewayUrl: 'https://pay.example',
      operatorContact: '',
      unread: 0,
      isNew: false,
      isStarting: false,
      formToken: 'q0m2Yx8v3R1ZpL6nT4uJ9sKdWfEbAhCiGoQlXyVzUwM',
      may: () => true,
    },
    opened: { params: {}, query: {} },
    data,
    tags: {},
    formResult: null,
    done: null,
    refused: null,
    feedCursor: null,
    key: '0b7c5d1e-6f2a-4a52-9c39-6f2d7d4a9a11',
    now: new Date('2026-03-02T09:00:00Z'),
    ...changes,
  };
}

const uuid = (nth: number) => `01a213f0-a553-76a1-a99e-${String(nth * 7_919).padStart(12, '0')}`;

/** The list of 25 payments that cover every standing. */
export function listOf(standings: readonly string[]): object {
  const data = Array.from({ length: 25 }, (_, nth) => ({
    internalId: uuid(nth),
    reference: `FT2026-${1_000 + nth * 37}`,
    amount: 1_500 + nth * 1_237.5,
    currency: 'AOA',
    status: 'Paid',
    standing: standings[nth % standings.length],
    attention: null,
    paymentMethod: ['onetimepurchase', 'reference', 'qrcode', 'webframe'][nth % 4],
    createdAt: new Date(Date.UTC(2026, 2, 2, 9) - nth * 3_700_000).toISOString(),
  }));
  const list = { data, next: 'MjAyNi0wMy0wMlQwODowMDowMFo', totalItems: 812_345, isTotalExact: true };
  const sum = { currency: 'AOA', payments: 812, received: 1_500_000, refunded: 500, net: 1_499_500 };
  return { list, sums: { payments: 812, isComplete: true, sums: [sum] }, cashiers: CASHIERS };
}

const CASHIERS = { data: [{ id: uuid(7), name: 'Ana Neto' }], clients: [{ id: 'loja', name: 'Loja' }] };

/** A payment with all its texts. @param text the value of each text */
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
    standing: 'paid_late',
    attention: 'late_money',
    resolvedAt: null,
    paymentType: 'GPO',
    paymentMethod: 'onetimepurchase',
    createdBy: uuid(7),
    createdByClient: null,
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
    transactions: [],
    late: true,
    checkoutUrl: 'https://pagar.example/checkout/x',
  };
  const at = '2026-03-02T09:00:00.000Z';
  const event = (nth: number, type: string) => ({ id: uuid(nth), type, occurredAt: at, details: {} });
  const delivery = { id: uuid(5), type: 'payment.paid', status: 'Abandoned', createdAt: at };
  const ANA = { kind: 'user', id: uuid(7), name: text };
  const REFUND_EVENT = { ...event(8, 'refund.created'), details: { refundId: uuid(4) }, actor: ANA };
  return {
    payment,
    history: { data: [{ ...event(2, 'payment.created'), actor: ANA }, event(3, 'payment.paid'), REFUND_EVENT] },
    outlook: { isReplaceable: false, payableUntil: null, push: null },
    refunds: { data: [{ id: uuid(4), amount: 500, currency: 'AOA', status: 'Succeeded', createdAt: at }] },
    merchant: { cashierRefundLimit: null },
    cashiers: CASHIERS,
    callbacks: { data: [delivery] },
    endpoint: null,
    webhooks: { data: [{ id: uuid(6) }] },
    'webhook-0': { data: [{ ...delivery, id: uuid(7) }] },
  };
}

/** A settlement with every kind of difference, and a page of movements. @param text the value of each text */
export function settlementOf(text: string): object {
  const account = { id: 'gpo', label: text };
  const [paymentId, at] = [uuid(1), '2026-03-02T09:00:00.000Z'];
  const settlement = {
    id: uuid(2),
    account,
    clearingPeriod: '20494',
    day: '2026-03-01',
    currency: 'AOA',
    status: 'differs',
    closedAt: at,
    reconciledAt: at,
    taken: 22_250.5,
    fees: 100,
    refunded: 2_000,
    refundedByHand: 5,
    count: 3,
    expectedCredit: 20_150.5,
    credited: 5_150.5,
    difference: -15_000,
    differenceCount: 4,
    changedAfterClose: { count: 1, expectedCreditAtClose: 20_000 },
    bankFees: 150,
    credits: [entryOf(text, 3, 5_150.5), entryOf(text, 5, 1), { ...entryOf(text, 6, -1), reverses: uuid(5) }],
    bankFeeEntries: [entryOf(text, 7, 150)],
    explanation: {
      reason: 'next_period',
      note: text,
      difference: -1,
      holds: false,
      explainedBy: text,
      explainedAt: at,
    },
    reasons: ['next_period', 'refund', 'fee', 'not_at_rail', 'not_here'].map((code) => {
      return { code, movementId: uuid(4), paymentId, clearingPeriod: '20494' };
    }),
    differences: ['missing_here', 'missing_there', 'amount', 'unreadable'].map((kind) => {
      return { kind, providerRef: text, amount: 1, ourAmount: 2, paymentId };
    }),
    movements: {
      data: Array.from({ length: 25 }, (_, nth) => {
        const about = { id: uuid(nth), type: 'reference', paymentId: uuid(nth + 30), reference: text, account };
        return { ...about, gross: 1_500 + nth, fee: 5, net: 1_495 + nth, currency: 'AOA', occurredAt: at, late: true };
      }),
      next: 'MTc3MDc0NTIwMjAwMC4zNzgwNmIw',
    },
  };
  return { settlement };
}

const entryOf = (bankReference: string, nth: number, amount: number) => {
  const reversedBy = nth === 5 ? uuid(6) : null;
  const entry = { id: uuid(nth), amount, currency: 'AOA', date: '2026-03-02', bankReference, source: 'file' };
  return { ...entry, reverses: null, reversedBy };
};

/** The close of a day with every status of a settlement, and every kind of cashier. @param text the value of each text */
export function dayOf(text: string): object {
  const { settlement } = settlementOf(text) as { settlement: Record<string, unknown> };
  const sums = { currency: 'AOA', count: 3, taken: 22_250.5, fees: 100, refunded: 2_000, refundedByHand: 5 };
  const credit = { bankFees: 150, expectedCredit: 20_000.5, credited: 5_150.5, awaitedCredit: 1 };
  const difference = { difference: -3, explainedDifference: -1, unexplainedDifference: -2 };
  const cashiers = ['user', 'client', 'payer'].map((kind) => {
    return { cashier: { kind, id: null, name: kind === 'payer' ? null : text }, ...sums };
  });
  const shift = { id: uuid(8), openedAt: '2026-03-01T08:00:00.000Z', closedAt: null, isPartial: true };
  const day = {
    day: '2026-03-01',
    status: 'differs',
    closedAt: null,
    accounts: 4,
    sums: [{ ...sums, ...credit, ...difference }],
    settlements: ['open', 'balanced', 'differs', 'explained'].map((status, nth) => {
      return { ...settlement, id: uuid(nth), status };
    }),
    methods: ['webframe', 'onetimepurchase', 'reference'].map((method) => ({ method, ...sums })),
    cashiers,
    shifts: ['in_shift', 'after_close', 'no_shift'].map((timing, nth) => {
      return { ...cashiers[nth], timing, shift: nth === 0 ? shift : null };
    }),
  };
  return { day, merchant: { taxId: text } };
}

/** The data of the SMS screens by URL path, with all their texts. @param text the value of each text */
export function smsOf(text: string): Record<string, object> {
  const at = '2026-03-02T09:00:00.000Z';
  const person = { contactoId: uuid(11), nome: text, telefone: '+244923456789', recusaSms: true };
  const list = { listaId: uuid(12), nome: text, totalContactos: 1, criadoEm: at };
  const template = { id: uuid(13), nome: text, conteudo: text, chaves: ['nome'], atualizadoEm: at };
  const one = (row: object) => ({ data: [row], totalItems: 1, next: null });
  const lists = one(list);
  const sent = { id: uuid(14), batchId: uuid(15), numeroDestino: '+244923456789', remetente: text, conteudo: text };
  const planned = { agendamentoId: uuid(16), batchId: uuid(16), agendadaPara: at, conteudo: text, remetente: text };
  return {
    '/console/sms': {
      account: { nomeremetenteSms: text, remetenteEfetivo: text, optOutText: 'number', optOutNumber: text },
      balance: { saldoAtual: 12, atualizadoEm: at },
      ledger: one({ id: uuid(17), tipo: 'Debito', quantidade: 1, saldoDepois: 12, descricao: text, criadoEm: at }),
    },
    '/console/sms/send': { lists, templates: one(template), account: { optOutText: 'link' }, template },
    '/console/sms/history': {
      list: one({ ...sent, partes: 1, estado: 'Falhado', enviadoEm: at, entregueEm: at, motivoFalha: 'blocked' }),
    },
    '/console/sms/schedule': {
      list: one({ ...planned, estado: 'Agendado', totalDestinatarios: 1, unidades: 1, criadoEm: at }),
    },
    '/console/sms/contacts': { list: one(person), lists },
    '/console/sms/contacts/{contactoId}': { contact: person, lists },
    '/console/sms/lists': { list: one(list) },
    '/console/sms/lists/{listaId}': { list: { ...list, contactos: one(person) } },
    '/console/sms/templates': { list: one(template) },
    '/console/sms/templates/{templateId}': { template },
    '/console/sms/opt-outs': { list: one({ id: uuid(18), phone: '+244923456789', source: 'merchant', createdAt: at }) },
  };
}

/** The preview of an SMS sending. @param text the text of the message */
export function smsSureOf(text: string): NonNullable<ScreenProps<unknown>['formResult']> {
  const body = {
    totalDestinatarios: 2,
    partes: 1,
    caracteresUcs2: ['ã'],
    unidades: 2,
    duplicados: 1,
    recusados: 1,
    saldoAtual: 12,
    remetente: text,
    agendadaPara: '2026-03-03T09:00:00.000Z',
    exemplo: { numeroDestino: '+244923456789', conteudo: text },
  };
  const typed = { act: 'smsPreview', numbers: '923456789', conteudo: text, day: '2026-03-03', time: '10:00' };
  return { act: 'smsPreview', body, typed };
}
