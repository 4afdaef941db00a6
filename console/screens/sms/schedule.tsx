// Scheduled SMS sendings: the text and number of recipients of each, and the form to cancel it.
import type { SmsSchedule } from '../../../packages/client/src/contract.ts';
import type { ScreenProps, ScreenLocation } from '../../../shared/console.ts';
import { FoldedAct } from '../../form.tsx';
import type { Screen } from '../../layout.tsx';
import { Chips, Head, Rows, textsOf } from '../../parts.tsx';
import { addressOf, fill, findText, whenOf } from '../../words.ts';
import {
  Bubble,
  Entry,
  NoEntries,
  pageOf,
  Pages,
  peopleOf,
  SmsMenu,
  SMS,
  SmsState,
  startOf,
  type Numbered,
} from './parts.tsx';

const PATH = `${SMS}/schedule`;
const STATUSES = ['Agendado', 'Enviado', 'Cancelado'] as const;

type Page = { list: Numbered<SmsSchedule> };

const statusOf = ({ query }: ScreenLocation) => STATUSES.find((status) => status === query['status']);

export const smsSchedule: Screen = {
  path: PATH,
  needs: 'listScheduledSms',
  reads(opened) {
    const status = statusOf(opened);
    return { list: { operation: 'listScheduledSms', query: { ...pageOf(opened), ...(status && { estado: status }) } } };
  },
  acts: {
    smsCallOff: {
      operation: 'cancelScheduledSms',
      buildCall: ({ id = '' }) => ({ params: { agendamentoId: id } }),
    },
  },
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const { list } = page.data;
    const status = statusOf(page.opened) ?? '';
    const chips = ['', ...STATUSES].map((each) => ({
      href: addressOf(PATH, { status: each }),
      text: findText(t, `sms.scheduled.${each}`) ?? t['sms.all'],
      isOn: each === status,
    }));
    const content = (
      <>
        <Head title={t['sms.schedule']} back={{ href: SMS, text: t['sms.title'] }} />
        <SmsMenu page={page} here="/schedule" />
        <Chips label={t['sms.status']} chips={chips} />
        {list.data.length > 0 ? (
          <Pages page={page} list={list} path={PATH} keeps={{ status }}>
            {list.data.map((schedule) => (
              <ScheduleEntry key={schedule.agendamentoId} page={page} schedule={schedule} />
            ))}
          </Pages>
        ) : (
          <NoEntries page={page} text={t['sms.schedule.none']} path={PATH} isSearch={status !== ''} />
        )}
      </>
    );
    return { title: t['sms.schedule'], content };
  },
};

function ScheduleEntry({ page, schedule }: { page: ScreenProps<Page>; schedule: SmsSchedule }) {
  const t = textsOf(page);
  const { agendamentoId: id, batchId, estado, agendadaPara, conteudo, remetente, criadoEm } = schedule;
  const { totalDestinatarios, unidades } = schedule;
  const own = page.refused?.typed['id'] === id ? page : { ...page, refused: null };
  return (
    <Entry
      id={id}
      title={whenOf(agendadaPara)}
      about={`${peopleOf(page, totalDestinatarios)} · ${startOf(conteudo)}`}
      end={<SmsState status={estado} text={t[`sms.scheduled.${estado}`]} />}
    >
      <Bubble text={conteudo} />
      <Rows
        rows={[
          [t['sms.sender.name'], remetente],
          [t['sms.takes'], fill(t['sms.units'], { n: unidades })],
          [t['sms.made'], whenOf(criadoEm)],
        ]}
      />
      {estado === 'Enviado' && <a href={addressOf(`${SMS}/history`, { batch: batchId })}>{t['sms.schedule.sent']}</a>}
      {estado === 'Agendado' && page.visitor.may('cancelScheduledSms') && (
        <FoldedAct
          page={own}
          name="smsCallOff"
          title={t['sms.callOff']}
          sure={t['sms.callOff.sure']}
          button={t['sms.callOff']}
          tone="plain danger"
        >
          <input type="hidden" name="id" value={id} />
        </FoldedAct>
      )}
    </Entry>
  );
}
