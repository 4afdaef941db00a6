// Sent SMS messages, newest first, with the status of each.
import type { SentSms } from '../../../packages/client/src/contract.ts';
import type { ScreenProps, ScreenLocation } from '../../../shared/console.ts';
import { isDay } from '../../../shared/luanda.ts';
import { normalizePhone, showPhone } from '../../../shared/phone.ts';
import { UUID } from '../../../shared/uuid.ts';
import type { Screen } from '../../layout.tsx';
import { Chips, Head, Moment, Rows, Search, textsOf } from '../../parts.tsx';
import { addressOf, fill, findText, whenOf } from '../../words.ts';
import { Bubble, Entry, NoEntries, pageOf, Pages, SmsMenu, SMS, SmsState, startOf, type Numbered } from './parts.tsx';

const PATH = `${SMS}/history`;
const STATUSES = ['Pendente', 'Enviado', 'Entregue', 'Falhado'] as const;

type Page = { list: Numbered<SentSms> | null };

const statusOf = ({ query }: ScreenLocation) => STATUSES.find((status) => status === query['status']);
const batchOf = ({ query }: ScreenLocation) => (UUID.test(query['batch'] ?? '') ? query['batch'] : undefined);

/** The valid days of the query. If the end is before the start, the end is ignored. */
function daysOf({ query }: ScreenLocation): { from: string; to: string } {
  const read = (text = '') => (isDay(text) ? text : '');
  const [from, to] = [read(query['from']), read(query['to'])];
  return { from, to: to < from ? '' : to };
}

/** The API's filters. Null if the search text is not a phone number, because no message can then match. */
function filtersOf(opened: ScreenLocation): Record<string, string> | null {
  const { q } = opened.query;
  const [status, batch] = [statusOf(opened), batchOf(opened)];
  const phone = q?.trim() ? normalizePhone(q) : undefined;
  if (phone === null) return null;
  const { from, to } = daysOf(opened);
  return {
    ...(status && { estado: status }),
    ...(batch && { batchId: batch }),
    ...(phone && { numeroDestino: phone }),
    ...(from && { desde: from }),
    ...(to && { ate: to }),
  };
}

export const smsHistory: Screen = {
  path: PATH,
  needs: 'listSentSms',
  reads(opened) {
    const filters = filtersOf(opened);
    return { list: filters && { operation: 'listSentSms', query: { ...filters, ...pageOf(opened) } } };
  },
  acts: {},
  file: { path: `${PATH}.csv`, buildCall: (opened) => ({ operation: 'listSentSms', query: filtersOf(opened) ?? {} }) },
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const { opened, data } = page;
    const status = statusOf(opened) ?? '';
    const batch = batchOf(opened);
    const days = daysOf(opened);
    const keeps = { q: opened.query['q'] ?? '', status, batch: batch ?? '', ...days };
    const chips = ['', ...STATUSES].map((each) => ({
      href: addressOf(PATH, { ...keeps, status: each }),
      text: findText(t, `sms.status.${each}`) ?? t['sms.all'],
      isOn: each === status,
    }));
    const rows = data.list?.data ?? [];
    const content = (
      <>
        <Head title={t['sms.history']} back={{ href: SMS, text: t['sms.title'] }}>
          <a href={addressOf(`${PATH}.csv`, keeps)} download>
            {t['sms.export']}
          </a>
        </Head>
        <SmsMenu page={page} here="/history" />
        <Search page={page} hint={t['sms.search.phone']} keeps={{ status, batch: keeps.batch, ...days }} />
        <Days page={page} keeps={keeps} />
        <Chips label={t['sms.status']} chips={chips} />
        {batch && (
          <p class="small">
            {t['sms.history.batch']} <a href={addressOf(PATH, { status })}>{t['sms.history.all']}</a>
          </p>
        )}
        {data.list && rows.length > 0 ? (
          <Pages page={page} list={data.list} path={PATH} keeps={keeps}>
            {rows.map((message) => (
              <MessageEntry key={message.id} page={page} message={message} />
            ))}
          </Pages>
        ) : (
          <NoEntries
            page={page}
            text={t['sms.history.none']}
            path={PATH}
            isSearch={Object.values(keeps).some((each) => each)}
          />
        )}
      </>
    );
    return { title: t['sms.history'], content };
  },
};

type DaysProps = { page: ScreenProps<Page>; keeps: Record<'q' | 'status' | 'batch' | 'from' | 'to', string> };

/** The filter of the SMS history by days, in Luanda's time zone. */
function Days({ page, keeps: { from, to, ...others } }: DaysProps) {
  const t = textsOf(page);
  return (
    <details class="act" open={from !== '' || to !== ''}>
      <summary>{t['sms.days']}</summary>
      <form class="stack">
        {Object.entries(others).map(
          ([name, value]) => value && <input key={name} type="hidden" name={name} value={value} />,
        )}
        <div class="halves">
          {(['from', 'to'] as const).map((name) => (
            <div key={name} class="field">
              <label for={name}>{t[`sms.days.${name}`]}</label>
              <div class="input">
                <input id={name} name={name} type="date" value={name === 'from' ? from : to} />
              </div>
            </div>
          ))}
        </div>
        <button class="plain">{t['sms.days.show']}</button>
      </form>
    </details>
  );
}

function MessageEntry({ page, message }: { page: ScreenProps<Page>; message: SentSms }) {
  const t = textsOf(page);
  const { id, numeroDestino, remetente, conteudo, partes, estado, enviadoEm, entregueEm } = message;
  const { motivoFalha, paginaRecusa } = message;
  return (
    <Entry
      id={id}
      title={showPhone(numeroDestino)}
      about={
        <>
          {enviadoEm && (
            <>
              <Moment at={enviadoEm} /> ·{' '}
            </>
          )}
          {startOf(conteudo)}
        </>
      }
      end={<SmsState status={estado} text={t[`sms.status.${estado}`]} />}
    >
      <Bubble text={conteudo} />
      <Rows
        rows={[
          [t['sms.failure'], motivoFalha && (findText(t, `sms.failure.${motivoFalha}`) ?? motivoFalha)],
          [t['sms.sender.name'], remetente],
          [t['sms.parts'], fill(t['sms.units'], { n: partes })],
          [t['sms.sent'], enviadoEm && whenOf(enviadoEm)],
          [t['sms.delivered'], entregueEm && whenOf(entregueEm)],
          [t['sms.refusal.page'], paginaRecusa && <a href={paginaRecusa}>{paginaRecusa}</a>],
        ]}
      />
    </Entry>
  );
}
