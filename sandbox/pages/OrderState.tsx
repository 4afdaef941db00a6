// The payment state of a demo order. The server renders it, and the page's script renders it again after each read.
import { showLuandaTime } from '../../shared/countdown.ts';
import type { IconName } from '../../shared/icons.ts';
import type { OrderRead } from '../../shared/sandbox.ts';
import type { RefundExtent } from '../../shared/refund.ts';
import type { PaymentStatus } from '../../shared/status.ts';
import { pt } from '../../checkout/text/pt.ts';
import { Icon } from '../../shared/ui/Icon.tsx';

type Look = { icon: IconName; tone: string; title: string; text: string };

const PAID: Look = {
  icon: 'check',
  tone: 'success',
  title: 'Pago',
  text: 'Obrigado! Já estamos a preparar a sua encomenda.',
};

/** Texts for a paid order with its refunds. */
const REFUNDED: Record<RefundExtent, Look> = {
  none: PAID,
  partial: { ...PAID, title: 'Pago, e devolvido em parte', text: 'Devolvemos uma parte do dinheiro desta encomenda.' },
  full: { ...PAID, title: 'Pago, e devolvido', text: 'Devolvemos o dinheiro desta encomenda.' },
};

const LOOKS: Record<PaymentStatus, Look> = {
  Pending: {
    icon: 'clock',
    tone: 'quiet',
    title: 'À espera de pagamento',
    text: 'Guardamos a sua encomenda até o pagamento chegar.',
  },
  Processing: {
    icon: 'phone',
    tone: 'brand',
    title: 'A aguardar confirmação',
    text: 'Confirme o pagamento no seu telemóvel.',
  },
  Authorized: {
    icon: 'check',
    tone: 'success',
    title: 'Montante reservado',
    text: 'Cobramos quando a encomenda sair.',
  },
  Captured: PAID,
  Paid: PAID,
  Failed: {
    icon: 'stop',
    tone: 'danger',
    title: 'O pagamento não foi feito',
    text: 'Pode fazer a encomenda de novo.',
  },
  Canceled: {
    icon: 'stop',
    tone: 'quiet',
    title: 'Pagamento cancelado',
    text: 'Esta encomenda ficou por pagar.',
  },
  Expired: {
    icon: 'clock',
    tone: 'quiet',
    title: 'O prazo para pagar terminou',
    text: 'Pode fazer a encomenda de novo.',
  },
};

/** A demo order's payment state at the last read by the shop's server. */
export function OrderState({ status, refund, failure, completedAt, transaction, readAt }: OrderRead) {
  const isPaid = LOOKS[status] === PAID;
  const { icon, tone, title, text } = isPaid ? REFUNDED[refund] : LOOKS[status];
  const nowMs = Date.parse(readAt);
  const reason = (pt as Record<string, string>)[`failure.${failure}`];
  return (
    <div class="stack" data-status={status}>
      <div class={`state ${tone}`}>
        <Icon name={icon} />
        <div role="status">
          <p class="state-title">{title}</p>
          <p class="state-text">{reason && !isPaid ? `${reason}. ${text}` : text}</p>
        </div>
      </div>
      <p class="quiet small">
        {[
          isPaid && completedAt ? `Pago às ${showLuandaTime(completedAt, nowMs)}.` : '',
          isPaid && transaction ? `Transacção ${transaction}.` : '',
          `Lido pelo servidor da loja às ${showLuandaTime(readAt, nowMs)}.`,
        ]
          .filter(Boolean)
          .join(' ')}
      </p>
    </div>
  );
}
