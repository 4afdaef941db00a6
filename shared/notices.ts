// The only table of notices for a merchant's people: the scope of their readers, their object, and their mail group.
import { roleOf, type RoleName } from './roles.ts';
import type { Scope } from './scopes.ts';

/** The groups of notices that a person can have by mail. */
export const NOTICE_GROUPS = ['money', 'access', 'connections'] as const;
export type NoticeGroup = (typeof NOTICE_GROUPS)[number];

/** The kinds of objects that a notice can be about. */
export const NOTICE_OBJECTS = [
  'payment',
  'link',
  'settlement',
  'invoice',
  'railAccount',
  'callback',
  'webhook',
  'terminal',
  'sms',
  'member',
  'client',
  'reference',
] as const;
export type NoticeObject = (typeof NOTICE_OBJECTS)[number];

/** `needs`: the scope of the notice's readers. `idIn`: the field of the notice's details with the object's id. */
export type NoticeRule = { group: NoticeGroup; about: NoticeObject; idIn: string | null; needs: Scope };

const rule = (group: NoticeGroup, needs: Scope, about: NoticeObject, idIn: string | null = null): NoticeRule => ({
  group,
  needs,
  about,
  idIn,
});

const PAYMENT = rule('money', 'payments:read', 'payment');
const TERMINAL = rule('connections', 'terminals', 'terminal', 'posId');
const CALLBACK = rule('connections', 'merchant:write', 'callback');
const WEBHOOK = rule('connections', 'merchant:write', 'webhook', 'endpointId');
const MEMBER = rule('access', 'users:write', 'member', 'userId');
const CLIENT = rule('access', 'merchant:write', 'client', 'clientId');
const CONTRACT = rule('access', 'rails:write', 'railAccount', 'railAccountId');

/** The types of notices. A notice about a payment has the payment's id in its own column. */
export const NOTICES = {
  'payment.overpaid': PAYMENT,
  'payment.amount_mismatch': PAYMENT,
  'payment.stuck': PAYMENT,
  'payment.late': PAYMENT,
  'payment.acquirer_setup': PAYMENT,
  'refund.failed': PAYMENT,
  'refund.stuck': PAYMENT,
  'refund.excess': PAYMENT,
  'refund.late': PAYMENT,
  'reference.unknown_paid': rule('money', 'books:write', 'reference', 'reference'),
  'settlement.difference': rule('money', 'books:write', 'settlement', 'settlementId'),
  'link.oversold': rule('money', 'payments:read', 'link', 'linkId'),
  'invoice.issued': rule('money', 'books:write', 'invoice', 'invoiceId'),
  'sms.balance_low': rule('money', 'sms:write', 'sms'),
  'access.granted': MEMBER,
  'access.changed': MEMBER,
  'access.revoked': MEMBER,
  'access.clients_left': rule('access', 'users:write', 'client'),
  'client.created': CLIENT,
  'client.rotated': CLIENT,
  'client.revoked': CLIENT,
  'rail_account.created': CONTRACT,
  'rail_account.changed': CONTRACT,
  'rail_account.removed': rule('access', 'rails:write', 'railAccount'),
  'rail.feed_paused': rule('connections', 'rails:write', 'railAccount', 'railAccountId'),
  'callback.endpoint_failing': CALLBACK,
  'callback.endpoint_recovered': CALLBACK,
  'callback.abandoned': CALLBACK,
  'webhook.endpoint_failing': WEBHOOK,
  'webhook.endpoint_recovered': WEBHOOK,
  'terminal.stuck': TERMINAL,
  'terminal.closed': TERMINAL,
} as const satisfies Record<string, NoticeRule>;

export type NoticeType = keyof typeof NOTICES;

/** The rule of a notice type. Null for a type of another release. */
export function noticeRuleOf(type: string): NoticeRule | null {
  return Object.hasOwn(NOTICES, type) ? NOTICES[type as NoticeType] : null;
}

/** The types that a person with these scopes may not read. */
export function listHiddenNotices(scopes: ReadonlySet<Scope>): NoticeType[] {
  return (Object.keys(NOTICES) as NoticeType[]).filter((type) => !scopes.has(NOTICES[type].needs));
}

/** The groups that a person has by mail without a choice of their own. */
export function defaultNoticeMail(role: RoleName): readonly NoticeGroup[] {
  return role === 'Owner' || role === 'Administrator' ? ['money', 'access'] : [];
}

/** True if a person with this role has notices of this type by mail. @param chosen null: the role's default */
export function hasNoticeByMail(role: RoleName, chosen: readonly string[] | null, type: string): boolean {
  const found = noticeRuleOf(type);
  const scopes: ReadonlySet<Scope> = new Set(roleOf(role).scopes);
  if (!found || !scopes.has('notifications') || !scopes.has(found.needs)) return false;
  return (chosen ?? defaultNoticeMail(role)).includes(found.group);
}

/** The console's path of each object. An object without an id leads to the list. */
const PATHS: Record<NoticeObject, { one?: string; all: string | null }> = {
  payment: { one: '/console/payments/', all: '/console/payments' },
  link: { one: '/console/links/', all: '/console/links' },
  settlement: { one: '/console/books/', all: '/console/books' },
  invoice: { one: '/console/invoices/', all: '/console/plan' },
  railAccount: { one: '/console/rails/', all: '/console/rails' },
  callback: { all: '/console/developers' },
  webhook: { one: '/console/webhooks/', all: '/console/developers' },
  terminal: { all: null },
  sms: { all: '/console/sms' },
  member: { all: '/console/team' },
  client: { all: '/console/developers' },
  reference: { all: '/console/references' },
};

/** The console's page about an object. Null if the console has no page about such objects. */
export function noticePathTo({ tipo, id }: { tipo: NoticeObject; id: string | null }): string | null {
  const { one, all } = PATHS[tipo];
  return one && id ? `${one}${encodeURIComponent(id)}` : all;
}
