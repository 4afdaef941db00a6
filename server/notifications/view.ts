// Returns a notification for the API, with Portuguese field names and texts in the requested language.
import { z } from 'zod';
import type { Language } from '../../shared/language.ts';
import { NOTICE_OBJECTS, noticeRuleOf, type NoticeObject } from '../../shared/notices.ts';
import { capitalizeMonth } from '../../shared/luanda.ts';
import { showMoney, toReceivedMinor } from '../../shared/money.ts';
import type { NotificationPage } from './find.ts';
import { ACTOR_NAMES, composeNotice, hasNotice } from './texts.ts';

export const UNREAD = 0;
export const READ = 1;

/** @param readerId the signed-in person, whose own changes have a neutral text. Null for an API client */
export function viewNotification(found: NotificationPage, lang: Language, readerId: string | null) {
  const { id, type, createdAt, readAt } = found;
  const isOwn = readerId !== null && isBy(found, readerId);
  const name = textNameOf(found);
  const textName = isOwn && hasNotice(`${name}.own`) ? `${name}.own` : name;
  const { title, message } = composeNotice(lang, textName, valuesOf(found, lang));
  return {
    id,
    titulo: title,
    mensagem: message,
    tipo: type,
    estado: readAt ? READ : UNREAD,
    criadaEm: createdAt,
    lidaEm: readAt,
    objecto: objectOf(found),
    autor: authorOf(found, isOwn),
  };
}

type By = { kind: string; id: string };

const byOf = ({ details }: Pick<NotificationPage, 'details'>) => (details['actor'] ?? null) as By | null;

/** True if this person made the change that the notification reports. */
export function isBy(found: Pick<NotificationPage, 'details'>, userId: string): boolean {
  const by = byOf(found);
  return by?.kind === 'user' && by.id === userId;
}

function objectOf({ type, paymentId, details }: NotificationPage): { tipo: NoticeObject; id: string | null } | null {
  const found = noticeRuleOf(type);
  if (!found) return null;
  const id = found.about === 'payment' ? paymentId : found.idIn && details[found.idIn];
  return { tipo: found.about, id: id ? String(id) : null };
}

function authorOf(found: NotificationPage, isOwn: boolean) {
  const by = byOf(found);
  return by && { tipo: by.kind, nome: found.actorName, proprio: isOwn };
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
    objecto: z
      .object({ tipo: z.enum(NOTICE_OBJECTS), id: z.string().nullable() })
      .nullable()
      .describe('What the notification is about. `id` is null if it concerns the whole list'),
    autor: z
      .object({
        tipo: z.string().describe('`user`, `client`, `operator` or `system`'),
        nome: z.string().nullable(),
        proprio: z.boolean().describe('True if you made the change yourself'),
      })
      .nullable()
      .describe('Who made the change. null if the notification reports no change by a person or a system'),
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
function valuesOf(found: NotificationPage, lang: Language): Record<string, string> {
  const { details, payment, money, url, email } = found;
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
    label: text('label'),
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
    clients: listClients(details['clients'], lang),
    by: nameActor(found, lang),
  };
}

/** Names the actor at the begin of a sentence. Notifications of older releases have no actor. */
function nameActor(found: NotificationPage, lang: Language): string {
  const kind = byOf(found)?.kind ?? 'user';
  const names = ACTOR_NAMES[lang];
  const { actorName } = found;
  if (kind === 'client' && actorName) return names.client.replace('{name}', actorName);
  return actorName ?? names[kind as keyof typeof names] ?? names.user;
}

/** Formats API clients as a list of names. */
function listClients(clients: unknown, lang: Language): string {
  const known = Array.isArray(clients) ? (clients as { name: string }[]) : [];
  return known.map(({ name }) => QUOTED[lang].replace('{name}', name)).join(', ');
}

const QUOTED: Record<Language, string> = { pt: '«{name}»', en: '“{name}”', fr: '«\u00a0{name}\u00a0»' };

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
