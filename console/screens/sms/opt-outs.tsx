// SMS opt-outs: search, a form to record one, and a form to remove one that the merchant recorded.
import type { SmsOptOut } from '../../../packages/client/src/contract.ts';
import type { ScreenProps, ScreenLocation } from '../../../shared/console.ts';
import { normalizePhone, showPhone } from '../../../shared/phone.ts';
import { ActForm, Field, Folded, FoldedAct } from '../../form.tsx';
import type { Screen } from '../../layout.tsx';
import { Card, Head, List, Moment, Search, textsOf } from '../../parts.tsx';
import { addressOf } from '../../words.ts';
import { Entry, NoEntries, SmsMenu, SMS } from './parts.tsx';

const PATH = `${SMS}/opt-outs`;

type Page = { list: { data: SmsOptOut[]; next: string | null } | null };

/** The API's filters. Null if the search text is not a phone number, because no opt-out can then match. */
function filtersOf({ query: { q } }: ScreenLocation): Record<string, string> | null {
  if (!q?.trim()) return {};
  const phone = normalizePhone(q);
  return phone ? { phone } : null;
}

export const smsOptOuts: Screen = {
  path: PATH,
  needs: 'listSmsOptOuts',
  reads(opened) {
    const { after } = opened.query;
    const filters = filtersOf(opened);
    const query = { ...filters, limit: '25', ...(after && { after }) };
    return { list: filters && { operation: 'listSmsOptOuts', query } };
  },
  acts: {
    smsOptOut: { operation: 'createSmsOptOut', buildCall: ({ phone = '' }) => ({ body: { phone } }) },
    smsOptIn: { operation: 'deleteSmsOptOut', buildCall: ({ id = '' }) => ({ params: { optOutId: id } }) },
  },
  file: {
    path: `${PATH}.csv`,
    buildCall: (opened) => ({ operation: 'listSmsOptOuts', query: filtersOf(opened) ?? {} }),
  },
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const { list } = page.data;
    const { q } = page.opened.query;
    const rows = list?.data ?? [];
    const next = list?.next ?? null;
    const content = (
      <>
        <Head title={t['sms.optOuts']} back={{ href: SMS, text: t['sms.title'] }}>
          <a href={addressOf(`${PATH}.csv`, { q })} download>
            {t['sms.export']}
          </a>
        </Head>
        <SmsMenu page={page} here="/opt-outs" />
        <p class="quiet">{t['sms.optOuts.about']}</p>
        {page.visitor.may('createSmsOptOut') && <WriteDown page={page} />}
        {(rows.length > 0 || q) && <Search page={page} hint={t['sms.search.phone']} />}
        {rows.length > 0 ? (
          <List page={page} newest={addressOf(PATH, { q })} more={next && addressOf(PATH, { q, after: next })}>
            {rows.map((optOut) => (
              <OptOutEntry key={optOut.id} page={page} optOut={optOut} />
            ))}
          </List>
        ) : (
          <NoEntries page={page} text={t['sms.optOuts.none']} path={PATH} isSearch={!!q} />
        )}
      </>
    );
    return { title: t['sms.optOuts'], content };
  },
};

function WriteDown({ page }: { page: ScreenProps<Page> }) {
  const t = textsOf(page);
  return (
    <Card>
      <Folded page={page} act="smsOptOut" title={t['sms.optOut.new']}>
        <ActForm page={page} name="smsOptOut" button={t['sms.optOut.button']}>
          <Field
            page={page}
            act="smsOptOut"
            name="phone"
            label={t['sms.contact.phone']}
            hint={t['sms.optOut.hint']}
            type="tel"
            inputmode="tel"
            required
          />
        </ActForm>
      </Folded>
    </Card>
  );
}

/** One opt-out. The merchant may remove only the opt-outs that it recorded itself. */
function OptOutEntry({ page, optOut }: { page: ScreenProps<Page>; optOut: SmsOptOut }) {
  const t = textsOf(page);
  const { id, phone, source, createdAt } = optOut;
  const canUndo = source === 'merchant' && page.visitor.may('deleteSmsOptOut');
  const own = page.refused?.typed['id'] === id ? page : { ...page, refused: null };
  return (
    <Entry
      id={id}
      title={phone ? showPhone(phone) : t['sms.optOut.erased']}
      about={<Moment at={createdAt} />}
      end={<span class="small quiet">{t[`sms.source.${source ?? 'reply'}`]}</span>}
    >
      {canUndo && (
        <FoldedAct
          page={own}
          name="smsOptIn"
          title={t['sms.optIn']}
          sure={t['sms.optIn.sure']}
          button={t['sms.optIn']}
          tone="plain"
        >
          <input type="hidden" name="id" value={id} />
        </FoldedAct>
      )}
    </Entry>
  );
}
