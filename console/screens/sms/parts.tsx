// Parts that the SMS screens share: the menu, numbered pages, and the format of the API's values.
import type { ComponentChildren } from 'preact';
import type { ScreenLocation } from '../../../shared/console.ts';
import type { IconName } from '../../icons.tsx';
import { Badge, Empty, List, textsOf, type AnyScreenProps, type Tone } from '../../parts.tsx';
import { addressOf, type ConsoleTextKey, fill, grouped } from '../../words.ts';

export const SMS = '/console/sms';

/** The SMS screens by the last part of their path. The part of the SMS account's screen is empty. */
const MENU: [path: string, text: ConsoleTextKey, needs: string][] = [
  ['', 'sms.account', 'readSmsAccount'],
  ['/send', 'sms.send', 'sendSms'],
  ['/history', 'sms.history', 'listSentSms'],
  ['/schedule', 'sms.schedule', 'listScheduledSms'],
  ['/contacts', 'sms.contacts', 'listSmsContacts'],
  ['/lists', 'sms.lists', 'listSmsContactLists'],
  ['/templates', 'sms.templates', 'listSmsTemplates'],
  ['/opt-outs', 'sms.optOuts', 'listSmsOptOuts'],
];

/** The menu of the SMS screens. On a phone only the SMS account's screen shows it, and the others link back. */
export function SmsMenu({ page, here }: { page: AnyScreenProps; here: string }) {
  const t = textsOf(page);
  const visible = MENU.filter(([, , needs]) => page.visitor.may(needs));
  return (
    <nav class={here ? 'tabs far' : 'tabs'} aria-label={t['sms.title']}>
      {visible.map(([path, text]) => (
        <a key={path} href={SMS + path} aria-current={path === here ? 'page' : undefined}>
          {t[text]}
        </a>
      ))}
    </nav>
  );
}

export type Numbered<Row> = { data: Row[]; totalItems: number };

/** Number of entries per page of an SMS list. */
const PAGE_SIZE = 25;

/** The API's query for a numbered page of a list. */
export function pageOf({ query: { page } }: ScreenLocation): Record<string, string> {
  return { pageSize: String(PAGE_SIZE), pageNumber: page && /^[1-9]\d{0,5}$/.test(page) ? page : '1' };
}

type PagesProps = {
  page: AnyScreenProps;
  list: { totalItems: number };
  path: string;
  /** Query parameters that the links between pages keep. */
  keeps?: Record<string, string | undefined>;
  foot?: ComponentChildren;
  children: ComponentChildren;
};

/** A list with a link to the next numbered page. */
export function Pages({ page, list: { totalItems }, path, keeps = {}, foot, children }: PagesProps) {
  const current = Number(pageOf(page.opened)['pageNumber']);
  const hasMore = current * PAGE_SIZE < totalItems;
  const total = fill(textsOf(page)['list.total'], { n: totalItems });
  return (
    <List
      page={page}
      newest={addressOf(path, keeps)}
      foot={foot ? [total, ' · ', foot] : total}
      more={hasMore ? addressOf(path, { ...keeps, page: String(current + 1) }) : null}
    >
      {children}
    </List>
  );
}

/** The message for an empty search result, or for an empty list with a link to fill it. */
export function NoEntries({
  page,
  text,
  path,
  isSearch,
}: {
  page: AnyScreenProps;
  text: string;
  path: string;
  isSearch: boolean;
}) {
  const t = textsOf(page);
  if (!isSearch) return <Empty text={text} />;
  return (
    <Empty text={t['sms.none.found']}>
      <a href={path}>{t['list.clear']}</a>
    </Empty>
  );
}

type EntryProps = { id: string; title: ComponentChildren; about: ComponentChildren; end?: ComponentChildren };

/** An entry of an SMS list. With children it opens to show actions and details. */
export function Entry({ id, title, about, end, children }: EntryProps & { children?: ComponentChildren }) {
  const line = (
    <>
      <span>
        <strong>{title}</strong>
        <span class="small quiet">{about}</span>
      </span>
      <span class="end">{end}</span>
    </>
  );
  return (
    <li data-live-key={id}>
      {children ? (
        <details class="entry">
          <summary class="line">{line}</summary>
          <div class="stack">{children}</div>
        </details>
      ) : (
        <div class="line">{line}</div>
      )}
    </li>
  );
}

/** The message as its recipient sees it. */
export function Bubble({ text }: { text: string }) {
  return <p class="bubble">{text}</p>;
}

/** The first 40 characters of a text, on one line. */
export function startOf(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > START ? `${line.slice(0, START).trimEnd()}…` : line;
}

const START = 40;

/** A number of people as text. */
export function peopleOf(page: AnyScreenProps, n: number): string {
  const t = textsOf(page);
  return n === 1 ? t['sms.people.one'] : fill(t['sms.people'], { n: grouped(n) });
}

const SIGNS: Record<string, [IconName, Tone]> = {
  Pendente: ['clock', 'quiet'],
  Enviado: ['message', 'brand'],
  Entregue: ['check', 'success'],
  Falhado: ['stop', 'danger'],
  Agendado: ['clock', 'brand'],
  Cancelado: ['close', 'quiet'],
};

/** A badge for the status of a message or of a scheduled sending. */
export function SmsState({ status, text }: { status: string; text: string }) {
  const [icon, tone] = SIGNS[status] ?? ['clock', 'quiet'];
  return <Badge icon={icon} tone={tone} text={text} />;
}
