// Notifications for the merchant's users, newest first, read and unread.
import type { Notification } from '../../../packages/client/src/contract.ts';
import type { Act, ScreenProps, ScreenLocation } from '../../../shared/console.ts';
import { ActForm } from '../../form.tsx';
import type { Screen } from '../../layout.tsx';
import { Chips, Empty, Head, List, Moment, textsOf } from '../../parts.tsx';
import { addressOf, fill } from '../../words.ts';

const PATH = '/console/notices';

/** Values of the API's field `estado`. */
const UNREAD = 0;
const READ = 1;

type Page = { list: { data: Notification[]; next: string | null; totalItems: number } };

const showsAll = ({ query }: ScreenLocation) => 'all' in query;

function mark(estado: number): Act {
  return {
    operation: 'markNotification',
    buildCall: ({ id = '' }: Record<string, string>) => ({ params: { id }, body: { estado } }),
    // The form redirects to the same page of the list of notifications.
    resultPath: (_body: unknown, { query: { all, after } }: ScreenLocation) => addressOf(PATH, { all, after }),
  };
}

export const notices: Screen = {
  path: PATH,
  needs: 'listNotifications',
  menu: { group: 'shop', text: 'notices.title', icon: 'bell', count: ({ unread }) => unread },
  reads(opened) {
    const { after } = opened.query;
    const estado = showsAll(opened) ? {} : { estado: String(UNREAD) };
    return { list: { operation: 'listNotifications', query: { pageSize: '25', ...estado, ...(after && { after }) } } };
  },
  acts: { markRead: mark(READ), markUnread: mark(UNREAD) },
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const { data, next, totalItems } = page.data.list;
    const isAll = showsAll(page.opened);
    const at = isAll ? `${PATH}?all=1` : PATH;
    const chips = [
      { href: PATH, text: t['notices.unread'], isOn: !isAll },
      { href: `${PATH}?all=1`, text: t['notices.all'], isOn: isAll },
    ];
    const content = (
      <>
        <Head title={t['notices.title']} />
        <Chips label={t['notices.which']} chips={chips} />
        {data.length === 0 ? (
          <Empty text={isAll ? t['notices.none'] : t['notices.none.unread']} />
        ) : (
          <List
            page={page}
            newest={at}
            foot={fill(t['list.total'], { n: totalItems })}
            more={next && addressOf(PATH, { all: isAll ? '1' : undefined, after: next })}
          >
            {data.map((notice) => (
              <NoticeLine key={notice.id} page={page} notice={notice} />
            ))}
          </List>
        )}
      </>
    );
    return { title: t['notices.title'], content };
  },
};

function NoticeLine({ page, notice }: { page: ScreenProps<Page>; notice: Notification }) {
  const t = textsOf(page);
  const { id, titulo, mensagem, estado, criadaEm } = notice;
  const isUnread = estado === UNREAD;
  return (
    <li data-live-key={id} class="pad stack">
      <div>
        <h2>{isUnread ? titulo : <span class="quiet">{titulo}</span>}</h2>
        <p class="small quiet">
          <Moment at={criadaEm} />
          {!isUnread && ` · ${t['notices.read']}`}
        </p>
      </div>
      <p>{mensagem}</p>
      <ActForm
        page={page}
        name={isUnread ? 'markRead' : 'markUnread'}
        button={isUnread ? t['notices.mark'] : t['notices.unmark']}
        tone="plain"
      >
        <input type="hidden" name="id" value={id} />
      </ActForm>
    </li>
  );
}
