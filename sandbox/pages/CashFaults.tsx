// Faults for a payment by reference: one button each, folded below the normal button.
import type { BillView, CashChannel, CashFault } from '../../shared/sandbox.ts';

type FaultProps = { channel: CashChannel; bill: BillView; amount: string; isWrong: boolean };

/**
 * For a payable reference, the page offers every fault of a cash machine and its notifications.
 * For an ended reference, the page offers a single fault: the cash machine takes the money anyway.
 */
export function CashFaults({ channel, bill, amount, isWrong }: FaultProps) {
  const isOpen = bill.state === 'open';
  const isFixed = bill.amount !== null;
  return (
    <details class="faults" open={isWrong && (isFixed || !isOpen)}>
      <summary>Avarias</summary>
      <div class="stack">
        {isOpen ? IN_THE_FORM.map((fault) => <FaultButton fault={fault} form="pay" />) : null}
        {isOpen && isFixed ? (
          <OwnForm fault="wrong_amount" {...{ channel, bill, amount, isWrong, asks: true }} />
        ) : null}
        {isOpen ? null : <OwnForm fault="late" {...{ channel, bill, amount, isWrong, asks: !isFixed }} />}
      </div>
    </details>
  );
}

const FAULTS: Record<CashFault, { name: string; effect: string }> = {
  twice: { name: 'Pagar duas vezes', effect: 'O dinheiro sai duas vezes, mesmo que só se possa pagar uma.' },
  notify_later: { name: 'Notificar só daqui a uma hora', effect: 'O dinheiro sai já; a loja só sabe mais tarde.' },
  lost: { name: 'Perder a notificação', effect: 'A notificação nunca chega: só uma consulta descobre o pagamento.' },
  wrong_amount: { name: 'Pagar outro montante', effect: 'É aceite, peça a referência o que pedir.' },
  late: { name: 'Pagar mesmo assim', effect: 'O dinheiro é aceite, embora a referência tenha terminado.' },
};

const IN_THE_FORM: CashFault[] = ['twice', 'notify_later', 'lost'];

function FaultButton({ fault, form }: { fault: CashFault; form?: string }) {
  const { name, effect } = FAULTS[fault];
  return (
    <div>
      <button class="plain" name="fault" value={fault} form={form} aria-describedby={`about-${fault}`}>
        {name}
      </button>
      <p id={`about-${fault}`} class="small quiet">
        {effect}
      </p>
    </div>
  );
}

type OwnFormProps = FaultProps & { fault: CashFault; asks: boolean };

/** The form of a fault that has its own amount. */
function OwnForm({ channel, bill, amount, isWrong, fault, asks }: OwnFormProps) {
  return (
    <form class="stack" method="post" action="/sandbox/atm">
      <Hidden channel={channel} bill={bill} />
      {asks ? (
        <div class="field">
          <label for="other">Outro montante</label>
          <div class={isWrong ? 'input wrong' : 'input'}>
            <input
              id="other"
              name="amount"
              inputMode="decimal"
              autocomplete="off"
              required
              defaultValue={amount}
              aria-invalid={isWrong}
              aria-describedby={isWrong ? 'other-note' : undefined}
            />
            <span class="unit">Kz</span>
          </div>
          {isWrong ? (
            <p id="other-note" class="error">
              Escreva um montante como 1500 ou 1 500,50.
            </p>
          ) : null}
        </div>
      ) : null}
      <FaultButton fault={fault} />
    </form>
  );
}

/** Hidden fields that every form about a reference has. */
export function Hidden({ channel, bill }: { channel: CashChannel; bill: BillView }) {
  const carried = { channel, entity: bill.entity, reference: bill.reference };
  return Object.entries(carried).map(([name, value]) => <input type="hidden" name={name} value={value} />);
}
