// Notifications for the merchant's users, newest first. Each has a link to its object.
import type { Notification } from '../../../packages/client/src/contract.ts';
import type { Act, ScreenProps, ScreenLocation } from '../../../shared/console.ts';
import { NOTICE_OBJECTS, noticePathTo } from '../../../shared/notices.ts';
import { ActForm } from '../../form.tsx';
import type { Screen } from '../../layout.tsx';
import { Chips, Empty, Head, List, Moment, textsOf } from '../../parts.tsx';
import { addressOf, fill, findText } from '../../words.ts';

const PATH = '/console/notices';

/** Values of the API's field `estado`. */
const UNREAD = 0;
const READ = 1;

type Page = { list: { data: Notification[]; next: string | null; totalItems: number } };

/** The filters of the list by the query parameter `show`, with the API's `estado`. The first is the default. */
const FILTERS = { unread: UNREAD, read: READ, all: null } as const;
type Filter = keyof typeof FILTERS;

function filterOf({ query: { show = '' } }: ScreenLocation): Filter {
  return Object.hasOwn(FILTERS, show) ? (show as Filter) : 'unread';
}

const showOf = (filter: Filter) => (filter === 'unread' ? undefined : filter);

function mark(estado: number): Act {
  return {
    operation: 'markNotification',
    buildCall: ({ id = '' }: Record<string, string>) => ({ params: { id }, body: { estado } }),
    // The form redirects to the same page of the list of notifications.
    resultPath: (_body: unknown, { query: { show, after } }: ScreenLocation) => addressOf(PATH, { show, after }),
  };
}

/** Marks a notification as read and opens its object, which the address of the form names. */
const open: Act = {
  ...mark(READ),
  resultPath(_body: unknown, { query: { about = '', objectId = '' } }: ScreenLocation) {
    const tipo = NOTICE_OBJECTS.find((known) => known === about);
    return (tipo && noticePathTo({ tipo, id: objectId || null })) ?? PATH;
  },
};

export const notices: Screen = {
  path: PATH,
  needs: 'listNotifications',
  menu: { group: 'shop', text: 'notices.title', icon: 'bell', count: ({ unread }) => unread },
  reads(opened) {
    const { after } = opened.query;
    const estado = FILTERS[filterOf(opened)];
    const query = { ...(estado !== null && { estado: String(estado) }), ...(after && { after }) };
    return { list: { operation: 'listNotifications', query: { pageSize: '25', ...query } } };
  },
  acts: {
    markRead: mark(READ),
    markUnread: mark(UNREAD),
    open,
    markAll: {
      operation: 'markAllNotifications',
      buildCall: ({ upTo }) => ({ body: { estado: READ, ...(upTo && { ate: upTo }) } }),
    },
  },
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const { data, next, totalItems } = page.data.list;
    const filter = filterOf(page.opened);
    const chips = (Object.keys(FILTERS) as Filter[]).map((each) => ({
      href: addressOf(PATH, { show: showOf(each) }),
      text: t[`notices.${each}`],
      isOn: each === filter,
    }));
    const newest = filter === 'unread' && !page.opened.query['after'] ? data[0] : undefined;
    const content = (
      <>
        <Head title={t['notices.title']}>
          {newest && (
            <ActForm page={page} name="markAll" button={t['notices.mark.all']} tone="plain">
              {/* Notifications that arrive after this page was rendered stay unread. */}
              <input type="hidden" name="upTo" value={newest.id} />
            </ActForm>
          )}
        </Head>
        <Chips label={t['notices.which']} chips={chips} />
        {data.length === 0 ? (
          <Empty text={filter === 'all' ? t['notices.none'] : t[`notices.none.${filter}`]} />
        ) : (
          <List
            page={page}
            newest={addressOf(PATH, { show: showOf(filter) })}
            foot={fill(t['list.total'], { n: totalItems })}
            more={next && addressOf(PATH, { show: showOf(filter), after: next })}
          >
            {data.map((notice) => (
              <NoticeLine key={notice.id} page={page} notice={notice} />
            ))}
          </List>
        )}
        <p class="small">
          <a href="/console/account#notices">{t['notices.byMail']}</a>
        </p>
      </>
    );
    return { title: t['notices.title'], content };
  },
};

type LineProps = { page: ScreenProps<Page>; notice: Notification };

function NoticeLine({ page, notice }: LineProps) {
  const t = textsOf(page);
  const { id, titulo, mensagem, estado, criadaEm, autor } = notice;
  const isUnread = estado === UNREAD;
  // The reader's own changes are no news, so their title is as quiet as that of a read notification.
  const isQuiet = !isUnread || autor?.proprio;
  return (
    <li data-live-key={id} class="pad stack">
      <div>
        <h2>{isQuiet ? <span class="quiet">{titulo}</span> : titulo}</h2>
        <p class="small quiet">
          <Moment at={criadaEm} />
          {!isUnread && ` · ${t['notices.state.read']}`}
        </p>
      </div>
      <p>{mensagem}</p>
      <div class="buttons">
        <OpenObject page={page} notice={notice} />
        <ActForm
          page={page}
          name={isUnread ? 'markRead' : 'markUnread'}
          button={isUnread ? t['notices.mark'] : t['notices.unmark']}
          tone="plain"
        >
          <input type="hidden" name="id" value={id} />
        </ActForm>
      </div>
    </li>
  );
}

/** The way to the notification's object. The first opening also marks the notification as read, so it is a form. */
function OpenObject({ page, notice: { id, objecto, estado } }: LineProps) {
  const t = textsOf(page);
  const path = objecto && noticePathTo(objecto);
  const text = objecto && findText(t, `notices.open.${objecto.tipo}`);
  if (!path || !text) return null;
  if (estado === READ)
    return (
      <a class="button plain" href={path}>
        {text}
      </a>
    );
  return (
    <form method="post" action={addressOf(PATH, { about: objecto.tipo, objectId: objecto.id ?? undefined })}>
      <input type="hidden" name="act" value="open" />
      <input type="hidden" name="token" value={page.visitor.formToken} />
      <input type="hidden" name="key" value={`${page.key}-${id}`} />
      <input type="hidden" name="id" value={id} />
      <button class="plain">{text}</button>
    </form>
  );
}
