// The change history: changes of access, credentials and settings, newest first.
import type { AuditEntry, Member } from '../../../packages/client/src/contract.ts';
import type { ScreenProps, ScreenLocation } from '../../../shared/console.ts';
import { addDays, isDay, startOf } from '../../../shared/luanda.ts';
import { showMoney } from '../../../shared/money.ts';
import { noticePathTo, type NoticeObject } from '../../../shared/notices.ts';
import type { Screen } from '../../layout.tsx';
import { Empty, Head, List, Moment, textsOf } from '../../parts.tsx';
import { addressOf, fill, findText, money, whenOf, type ConsoleTexts } from '../../words.ts';
import { nameOf as nameOfConnector } from '../rails/rails.tsx';

const PATH = '/console/audit';

type Page = {
  list: { data: AuditEntry[]; next: string | null; totalItems: number };
  members: { data: Member[] } | null;
};

/** Audit actions that concern a merchant's users. */
const ACTIONS = [
  'access.granted',
  'access.changed',
  'access.revoked',
  'access.accepted',
  'client.created',
  'client.rotated',
  'client.revoked',
  'merchant.created',
  'merchant.changed',
  'rail_account.created',
  'rail_account.changed',
  'rail_account.removed',
  'callback.set',
  'callback.rotated',
  'callback.removed',
  'webhook.created',
  'webhook.changed',
  'webhook.rotated',
  'webhook.removed',
  'link.created',
  'link.changed',
  'link.withdrawn',
  'article.created',
  'article.changed',
  'article.deleted',
  'shift.opened',
  'shift.cash_recorded',
  'shift.closed',
  'subscription.changed',
  'refund.requested',
  'refund.canceled',
  'shift.opened',
  'shift.closed',
  'shift.cash_recorded',
  'settlement.credited',
  'settlement.fee_entered',
  'settlement.entry_reversed',
  'settlement.explained',
  'settlement.explanation_withdrawn',
  'sms.sender_changed',
  'sms.opt_out_recorded',
  'sms.opt_out_removed',
  'privacy.exported',
  'privacy.erasure_requested',
  'privacy.erased',
] as const;

/** The audit trail's filters in the URL. Invalid values are omitted. */
function filtersOf({
  query: { action = '', person = '', from = '', to = '' },
}: ScreenLocation): Record<'action' | 'person' | 'from' | 'to', string> {
  const known = ACTIONS.find((each) => each === action) ?? '';
  const isSpan = isDay(from) && isDay(to) ? from <= to : true;
  const found = { action: known, person: /^[\w-]{1,64}$/.test(person) ? person : '' };
  return { ...found, from: isDay(from) && isSpan ? from : '', to: isDay(to) && isSpan ? to : '' };
}

export const audit: Screen = {
  path: PATH,
  needs: 'listAudit',
  menu: { group: 'shop', text: 'audit.title', icon: 'history' },
  reads(opened, visitor) {
    const { action, person, from, to } = filtersOf(opened);
    const { after } = opened.query;
    const asked = {
      ...(action && { action }),
      ...(person && { actorId: person }),
      ...(from && { from: startOf(from).toISOString() }),
      ...(to && { to: startOf(addDays(to, 1)).toISOString() }),
      ...(after && { after }),
    };
    return {
      list: { operation: 'listAudit', query: { pageSize: '25', ...asked } },
      members: visitor.may('listMembers') ? { operation: 'listMembers', query: { pageSize: '100' } } : null,
    };
  },
  acts: {},
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const { data, next, totalItems } = page.data.list;
    const filters = filtersOf(page.opened);
    const at = addressOf(PATH, filters);
    const content = (
      <>
        <Head title={t['audit.title']} />
        <Filter page={page} />
        {data.length === 0 ? (
          <Empty text={t['audit.none']}>{at !== PATH && <a href={PATH}>{t['list.clear']}</a>}</Empty>
        ) : (
          <List
            page={page}
            newest={at}
            foot={fill(t['list.total'], { n: totalItems })}
            more={next && addressOf(PATH, { ...filters, after: next })}
          >
            {data.map((entry) => (
              <EntryLine key={entry.id} page={page} entry={entry} />
            ))}
          </List>
        )}
      </>
    );
    return { title: t['audit.title'], content };
  },
};

function Filter({ page }: { page: ScreenProps<Page> }) {
  const t = textsOf(page);
  const { action, person, from, to } = filtersOf(page.opened);
  const people = page.data.members?.data ?? [];
  return (
    <details class="act" open={!!(action || person || from || to)}>
      <summary>{t['audit.filter']}</summary>
      <form class="stack">
        <div class="field">
          <label for="action">{t['audit.action']}</label>
          <div class="input">
            <select id="action" name="action">
              <option value="">{t['audit.all']}</option>
              {ACTIONS.map((each) => (
                <option key={each} value={each} selected={each === action}>
                  {nameOf(t, each)}
                </option>
              ))}
            </select>
          </div>
        </div>
        {people.length > 1 && (
          <div class="field">
            <label for="person">{t['audit.person']}</label>
            <div class="input">
              <select id="person" name="person">
                <option value="">{t['audit.all']}</option>
                {people.map(({ userId, email }) => (
                  <option key={userId} value={userId} selected={userId === person}>
                    {email}
                  </option>
                ))}
              </select>
            </div>
          </div>
        )}
        {Object.entries({ from, to }).map(([name, value]) => (
          <div key={name} class="field">
            <label for={name}>{findText(t, `audit.${name}`)}</label>
            <div class="input">
              <input id={name} name={name} type="date" defaultValue={value} />
            </div>
          </div>
        ))}
        <button class="plain">{t['audit.show']}</button>
      </form>
    </details>
  );
}

const nameOf = (t: ConsoleTexts, action: string) => findText(t, `audit.did.${action}`) ?? action;

function EntryLine({ page, entry }: { page: ScreenProps<Page>; entry: AuditEntry }) {
  const t = textsOf(page);
  const { id, action, actor, address, changes, occurredAt } = entry;
  const who = actor.name ?? findText(t, `audit.by.${actor.kind}`) ?? actor.kind;
  const changed = Object.entries(changes).filter(([name]) => !UNSHOWN.includes(name));
  const what = NAME_FIELDS.map((name) => changes[name]).find((value) => typeof value === 'string');
  const object = objectOf(entry);
  return (
    <li data-live-key={id} class="pad">
      <h2>
        {nameOf(t, action)}
        {what && `${t['colon']}${what}`}
      </h2>
      <p class="small quiet">
        {who} · <Moment at={occurredAt} />
        {address && ` · ${address}`}
      </p>
      {object && (
        <p class="small open-object">
          <a href={object.path}>{findText(t, `notices.open.${object.tipo}`)}</a>
        </p>
      )}
      {changed.length > 0 && (
        <details class="act">
          <summary>{t['audit.changes']}</summary>
          <ul class="plain-list small">
            {changed.map(([name, value]) => (
              <li key={name}>
                <span>
                  <strong>{labelOf(t, name)}</strong>
                  <span>{formatChange(page, { name, value, currency: currencyOf(changes) })}</span>
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}

const labelOf = (t: ConsoleTexts, name: string) => findText(t, `audit.field.${name}`) ?? name;

/** Audited fields that name the created, granted or removed object. */
const NAME_FIELDS = ['label', 'name', 'email'];
/** Audited fields that the entry shows as a link, or that belong to an amount. */
const UNSHOWN = ['paymentId', 'currency', 'owner', 'hash', 'fileHash'];

/** Audited fields with an amount in major units. */
const AMOUNT_FIELDS = ['amount', 'total', 'opening', 'counted'];

/** The objects that entries lead to, by the first word of their action. */
const OBJECTS: Record<string, NoticeObject> = {
  access: 'member',
  callback: 'callback',
  client: 'client',
  invoice: 'invoice',
  link: 'link',
  rail_account: 'railAccount',
  settlement: 'settlement',
  webhook: 'webhook',
};

/** The changed object with its page. A refund leads to its payment. A removed object has no page any more. */
function objectOf({ action, target, changes }: AuditEntry): { tipo: NoticeObject; path: string } | null {
  const [subject = '', verb = ''] = action.split('.');
  const paymentId = subject === 'payment' ? target : changes['paymentId'];
  const tipo = paymentId ? 'payment' : OBJECTS[subject];
  if (!tipo || verb === 'removed' || verb === 'revoked') return null;
  const id = typeof paymentId === 'string' ? paymentId : target;
  const path = noticePathTo({ tipo, id });
  return path ? { tipo, path } : null;
}

/** The currency of an entry's amounts. A new object has its currency as a change from nothing. */
function currencyOf({ currency }: Record<string, unknown>): string {
  const named = (currency as { after?: unknown } | null)?.after ?? currency;
  return typeof named === 'string' ? named : 'AOA';
}

type Change = { name: string; value: unknown; currency: string };

/** Formats an audited change with the values before and after it. */
function formatChange(page: ScreenProps<Page>, { name, value, currency }: Change): string {
  const { before, after } = (value ?? {}) as { before?: unknown; after?: unknown };
  const isChange = value !== null && typeof value === 'object' && 'before' in value && 'after' in value;
  const format = (one: unknown) => formatValue(page, { name, value: one, currency });
  return isChange ? `${format(before)} → ${format(after)}` : format(value);
}

function formatValue(page: ScreenProps<Page>, { name, value, currency }: Change): string {
  const t = textsOf(page);
  if (value == null || value === '') return t['audit.empty'];
  if (typeof value === 'boolean') return value ? t['audit.yes'] : t['audit.no'];
  if (value === 'changed') return t['audit.changed'];
  if (Array.isArray(value))
    return value.map((one) => formatValue(page, { name, value: one, currency })).join(', ') || t['audit.empty'];
  if (typeof value === 'object') {
    const fields = value as Record<string, unknown>;
    const own = String(fields['currency'] ?? currency);
    const shown = Object.entries(fields).filter(([key]) => !UNSHOWN.includes(key));
    const format = (name: string, one: unknown) => formatValue(page, { name, value: one, currency: own });
    return shown.map(([key, one]) => `${labelOf(t, key)}${t['colon']}${format(key, one)}`).join('; ');
  }
  const text = String(value);
  if (name.endsWith('Minor')) return showMoney(Number(value), currency);
  if (AMOUNT_FIELDS.includes(name)) return money(Number(value), currency);
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)) return whenOf(text);
  if (name === 'connector') return nameOfConnector(text);
  const key = VALUE_TEXTS[name] ?? `audit.${name}`;
  return findText(t, `role.${text}`) ?? findText(t, `${key}.${text}`) ?? LANGUAGE_NAMES[text] ?? text;
}

/** Fields of a contract, which have their words on its own screen. */
const VALUE_TEXTS: Partial<Record<string, string>> = { kind: 'rail.kind', status: 'rail.state' };

const LANGUAGE_NAMES: Partial<Record<string, string>> = { pt: 'Português', en: 'English', fr: 'Français' };
