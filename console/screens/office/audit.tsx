// The audit trail: changes of access, credentials and settings, newest first.
import type { AuditEntry } from '../../../packages/client/src/contract.ts';
import type { ScreenProps, ScreenLocation } from '../../../shared/console.ts';
import { addDays, isDay, startOf } from '../../../shared/luanda.ts';
import type { Screen } from '../../layout.tsx';
import { Empty, Head, List, Moment, textsOf } from '../../parts.tsx';
import { addressOf, fill, findText, type ConsoleTexts } from '../../words.ts';

const PATH = '/console/audit';

type Page = { list: { data: AuditEntry[]; next: string | null; totalItems: number } };

/** Audit actions that concern a merchant's users. */
const ACTIONS = [
  'access.granted',
  'access.changed',
  'access.revoked',
  'access.accepted',
  'client.created',
  'client.changed',
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
  'subscription.changed',
  'refund.requested',
  'refund.canceled',
  'settlement.credited',
  'sms.sender_changed',
  'sms.opt_out_recorded',
  'sms.opt_out_removed',
  'privacy.exported',
  'privacy.erasure_requested',
  'privacy.erased',
] as const;

/** The audit trail's filters in the URL. Invalid values are omitted. */
function filtersOf({
  query: { action = '', from = '', to = '' },
}: ScreenLocation): Record<'action' | 'from' | 'to', string> {
  const known = ACTIONS.find((each) => each === action) ?? '';
  const isSpan = isDay(from) && isDay(to) ? from <= to : true;
  return { action: known, from: isDay(from) && isSpan ? from : '', to: isDay(to) && isSpan ? to : '' };
}

export const audit: Screen = {
  path: PATH,
  needs: 'listAudit',
  menu: { group: 'shop', text: 'audit.title', icon: 'history' },
  reads(opened) {
    const { action, from, to } = filtersOf(opened);
    const { after } = opened.query;
    const asked = {
      ...(action && { action }),
      ...(from && { from: startOf(from).toISOString() }),
      ...(to && { to: startOf(addDays(to, 1)).toISOString() }),
      ...(after && { after }),
    };
    return { list: { operation: 'listAudit', query: { pageSize: '25', ...asked } } };
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
  const { action, from, to } = filtersOf(page.opened);
  return (
    <details class="act" open={!!(action || from || to)}>
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
  const changed = Object.entries(changes);
  const what = NAME_FIELDS.map((name) => changes[name]).find((value) => typeof value === 'string');
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
      {changed.length > 0 && (
        <details class="act">
          <summary>{t['audit.changes']}</summary>
          <ul class="plain-list small">
            {changed.map(([name, value]) => (
              <li key={name}>
                <span>
                  <strong>{name}</strong>
                  <span>{formatChange(value)}</span>
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}

/** Audited fields that name the created, granted or removed object. */
const NAME_FIELDS = ['label', 'name', 'email'];

const formatValue = (value: unknown) =>
  value == null || value === '' ? '—' : typeof value === 'object' ? JSON.stringify(value) : String(value);

/** Formats an audited change with the values before and after it. */
function formatChange(value: unknown): string {
  const { before, after } = (value ?? {}) as { before?: unknown; after?: unknown };
  const isChange = value !== null && typeof value === 'object' && 'before' in value && 'after' in value;
  return isChange ? `${formatValue(before)} → ${formatValue(after)}` : formatValue(value);
}
