// Refused API requests of the last seven days: the problem code, the fields, and the request id.
import type { RequestError } from '../../packages/client/src/contract.ts';
import type { ScreenProps, ScreenLocation } from '../../shared/console.ts';
import type { Screen } from '../layout.tsx';
import { Chips, Empty, Head, Moment, Table, textsOf } from '../parts.tsx';
import { addressOf } from '../words.ts';

type Page = { errors: { data: RequestError[]; next: string | null } };

const PATH = '/console/errors';
const STATUSES = ['201', '400', '401', '403', '404', '409', '422', '429', '503'];

/** The filters of the list, without values that the API would refuse. A mistyped URL shows the whole list. */
function filtersOf({ query: { status = '', code = '', requestId = '' } }: ScreenLocation): Record<string, string> {
  const all = { status: STATUSES.includes(status) ? status : '', code: code.slice(0, 64), requestId };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
}

const listAt = (opened: ScreenLocation, changes: Record<string, string>) =>
  addressOf(PATH, { ...filtersOf(opened), ...changes });

export const errors: Screen = {
  path: PATH,
  needs: 'listRequestErrors',
  reads(opened) {
    const { after } = opened.query;
    return { errors: { operation: 'listRequestErrors', query: { ...filtersOf(opened), ...(after && { after }) } } };
  },
  acts: {},
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const { opened } = page;
    const { data, next } = page.data.errors;
    const filters = filtersOf(opened);
    const chips = ['', ...STATUSES].map((status) => ({
      href: listAt(opened, { status }),
      text: status || t['errors.all'],
      isOn: status === (filters['status'] ?? ''),
    }));
    const content = (
      <>
        <Head title={t['errors.title']} back={{ href: '/console/developers', text: t['developers.title'] }} />
        <p class="quiet">{t['errors.about']}</p>
        <Chips label={t['errors.status']} chips={chips} />
        {data.length > 0 ? (
          <Refusals page={page} />
        ) : (
          <Empty text={Object.keys(filters).length > 0 ? t['errors.none.found'] : t['errors.none']}>
            {Object.keys(filters).length > 0 && <a href={PATH}>{t['list.clear']}</a>}
          </Empty>
        )}
        {next && (
          <a class="button plain" href={listAt(opened, { after: next })}>
            {t['list.more']}
          </a>
        )}
      </>
    );
    return { title: t['errors.title'], content };
  },
};

function Refusals({ page }: { page: ScreenProps<Page> }) {
  const t = textsOf(page);
  const codeOf = ({ code, status }: RequestError) => (
    <a href={listAt(page.opened, { code, status: String(status) })}>
      {status} <code>{code}</code>
    </a>
  );
  return (
    <Table<RequestError>
      caption={t['errors.title']}
      rows={page.data.errors.data}
      keyOf={({ id }) => id}
      columns={[
        { title: t['errors.when'], cell: ({ occurredAt }) => <Moment at={occurredAt} /> },
        { title: t['errors.code'], cell: codeOf },
        { title: t['errors.request'], cell: ({ method, path }) => <code>{`${method} ${path}`}</code> },
        {
          title: t['errors.faults'],
          cell: ({ faults }) => faults.map(({ pointer, code }) => `${pointer} ${code}`).join(', ') || '—',
        },
        { title: t['errors.id'], cell: ({ requestId }) => <code>{requestId}</code> },
      ]}
    />
  );
}
