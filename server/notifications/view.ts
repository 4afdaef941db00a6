// Returns a notification for the API, with Portuguese field names and texts in the requested language.
import { z } from 'zod';
import type { Language } from '../../shared/language.ts';
import { capitalizeMonth } from '../../shared/luanda.ts';
import { showMoney, toReceivedMinor } from '../../shared/money.ts';
import type { NotificationPage } from './find.ts';
import { composeNotice } from './texts.ts';

export const UNREAD = 0;
export const READ = 1;

export function viewNotification(found: NotificationPage, lang: Language) {
  const { id, type, createdAt, readAt } = found;
  const { title, message } = composeNotice(lang, textNameOf(found), valuesOf(found, lang));
  const estado = readAt ? READ : UNREAD;
  return { id, titulo: title, mensagem: message, tipo: type, estado, criadaEm: createdAt, lidaEm: readAt };
}

export const notification = z
  .object({
    id: z.uuid(),
    titulo: z.string(),
    mensagem: z
      .string()
      .describe('The event and the advice. Portuguese by default, English or French by Accept-Language'),
    tipo: z.string().meta({ description: 'Type of the event', example: 'callback.endpoint_failing' }),
    estado: z.literal([UNREAD, READ]).describe('0 = Não Lido, 1 = Lido'),
    criadaEm: z.iso.datetime(),
    lidaEm: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Notification' });

const OF_PAYMENTS: readonly string[] = ['payment.late', 'payment.overpaid', 'payment.amount_mismatch'];

/** Chooses the notification's text for received money, for a capture, or for an authorization. */
function textNameOf({ type, details }: NotificationPage): string {
  // A failure code means that the rail answered, but refused to release the hold.
  if (type === 'payment.stuck' && details['failureCode']) return 'payment.stuck.hold';
  if (!OF_PAYMENTS.includes(type) || details['transactionId']) return type;
  return details['captureId'] ? `${type}.capture` : `${type}.hold`;
}

/** Returns the values of a notification's text. An unknown value is empty. */
function valuesOf({ details, payment, money, url, email }: NotificationPage, lang: Language): Record<string, string> {
  const text = (name: string) => String(details[name] ?? '');
  const show = (name: string) => showDecimal(text(name), text('currency'));
  const { reference = text('reference'), currency = '', askedMinor = 0, heldMinor = 0 } = payment ?? {};
  return {
    failures: text('failures'),
    host: url ? new URL(url).host : '',
    reference,
    asked: askedMinor > 0 ? showMoney(askedMinor, currency) : ANY_AMOUNT[lang],
    held: payment ? showMoney(heldMinor ?? 0, currency) : '',
    received: money ? showMoney(money.amountMinor, money.currency) : '',
    amount: show('amount'),
    total: show('total'),
    entity: text('entity'),
    transaction: text('providerRef'),
    terminal: text('posId'),
    account: text('account'),
    period: text('clearingPeriod'),
    count: text('count'),
    title: text('title'),
    stock: text('stock'),
    paid: text('paid'),
    number: text('number'),
    balance: text('balance'),
    month: showMonth(text('month'), lang),
    email: email ?? text('userId'),
    role: ROLES[lang][text('role')] ?? text('role'),
    name: text('name'),
    client: text('clientId'),
    clients: listClients(details['clients']),
  };
}

/** Formats API clients as a list with name and id. */
function listClients(clients: unknown): string {
  const known = Array.isArray(clients) ? (clients as { name: string; clientId: string }[]) : [];
  return known.map(({ name, clientId }) => `“${name}” (${clientId})`).join(', ');
}

/** Text for a reference whose payer chooses the amount. */
const ANY_AMOUNT: Record<Language, string> = { pt: 'montante à escolha', en: 'any amount', fr: 'montant libre' };

const ROLES: Record<Language, Record<string, string>> = {
  pt: {
    Viewer: 'Consulta',
    Cashier: 'Caixa',
    Developer: 'Programador',
    Administrator: 'Administrador',
    Owner: 'Proprietário',
  },
  en: {},
  fr: {
    Viewer: 'Consultation',
    Cashier: 'Caissier',
    Developer: 'Développeur',
    Administrator: 'Administrateur',
    Owner: 'Propriétaire',
  },
};

function showDecimal(decimal: string, currency: string): string {
  if (!decimal || !currency) return '';
  const read = toReceivedMinor(decimal, currency);
  return 'minor' in read ? showMoney(read.minor, currency) : `${decimal} ${currency}`;
}

/** Formats a month such as `2026-11` in words. */
function showMonth(month: string, lang: Language): string {
  if (!/^\d{4}-\d\d$/.test(month)) return month;
  const words = { timeZone: 'UTC', month: 'long', year: 'numeric' } as const;
  const text = new Intl.DateTimeFormat(LOCALES[lang], words).format(new Date(`${month}-01T00:00:00Z`));
  return lang === 'pt' ? capitalizeMonth(text) : text;
}

const LOCALES: Record<Language, string> = { pt: 'pt-PT', en: 'en-GB', fr: 'fr-FR' };
