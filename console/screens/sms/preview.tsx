// The cost of an SMS sending before it is sent: recipients, units, text, and what the balance lacks.
import type { SmsSendingPreview } from '../../../packages/client/src/contract.ts';
import { showPhone } from '../../../shared/phone.ts';
import { Rows, textsOf, type AnyScreenProps } from '../../parts.tsx';
import { fill, grouped, whenOf } from '../../words.ts';
import { Bubble, peopleOf } from './parts.tsx';

type Cost = Pick<SmsSendingPreview, 'totalDestinatarios' | 'unidades' | 'saldoAtual'>;
type Props = { page: AnyScreenProps; preview: SmsSendingPreview };

/** The number of units that the balance lacks. Zero or less if the balance is sufficient. */
export const countLackingUnits = ({ unidades, saldoAtual }: Cost) => unidades - saldoAtual;

/** True if the sending has a recipient and the balance is sufficient. */
export const isSendable = (preview: Cost) => preview.totalDestinatarios > 0 && countLackingUnits(preview) <= 0;

/** The recipients, cost and first message of a sending. @param count the number of messages, instead of people */
export function SmsCost({ page, preview, count }: Props & { count?: string }) {
  const t = textsOf(page);
  const { totalDestinatarios, unidades, exemplo } = preview;
  const lacks = countLackingUnits(preview);
  return (
    <>
      <p class="amount">{count ?? peopleOf(page, totalDestinatarios)}</p>
      <p>{fill(t['sms.sure.cost'], { n: grouped(unidades), left: grouped(Math.max(0, -lacks)) })}</p>
      <Details page={page} preview={preview} />
      {exemplo && (
        <>
          <h2>{fill(t['sms.sure.first'], { phone: showPhone(exemplo.numeroDestino) })}</h2>
          <Bubble text={exemplo.conteudo} />
        </>
      )}
      {totalDestinatarios === 0 && <p class="error">{t['sms.sure.nobody']}</p>}
      {lacks > 0 && <p class="error">{fill(t['sms.sure.few'], { n: grouped(lacks) })}</p>}
    </>
  );
}

function Details({ page, preview }: Props) {
  const t = textsOf(page);
  const { partes, caracteresUcs2, duplicados, recusados, remetente, agendadaPara } = preview;
  return (
    <Rows
      rows={[
        [t['sms.sender.name'], remetente],
        [t['sms.when'], agendadaPara ? whenOf(agendadaPara) : t['sms.when.now']],
        [t['sms.parts.each'], partes > 0 && partes],
        [t['sms.dear'], caracteresUcs2.length > 0 && caracteresUcs2.slice(0, 20).join(' ')],
        [t['sms.recusados'], recusados > 0 && recusados],
        [t['sms.duplicados'], duplicados > 0 && duplicados],
      ]}
    />
  );
}
