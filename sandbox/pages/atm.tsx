// The pages for paying a reference: the digits, the amount, and the slips.
import { showReference } from '../../shared/reference.ts';
import type { AtmView, BillView, CashFault, SlipsView } from '../../shared/sandbox.ts';
import { Icon } from '../../shared/ui/Icon.tsx';
import { CashFaults, Hidden } from './CashFaults.tsx';
import { renderDocument } from './document.tsx';
import { Machine } from './Machine.tsx';
import { Slip } from './Slip.tsx';

/** Renders `/sandbox/atm`: a form for the digits, then the amount to pay or the reason why the reference has ended. */
export function renderAtm(view: AtmView): string {
  const { bill, channel } = view;
  const screen = !bill ? <FindBill {...view} /> : bill.state === 'open' ? <PayBill {...view} bill={bill} /> : null;
  const body = (
    <Machine channel={channel} entity={view.entity} reference={view.reference}>
      {screen ?? (bill && <Ended {...view} bill={bill} />)}
    </Machine>
  );
  return renderDocument({ title: 'Pagar uma referência', body });
}

/** Renders `/sandbox/atm/{ids}`: the printed slips. */
export function renderSlips({ channel, fault, slips }: SlipsView): string {
  const body = (
    <Machine
      channel={channel}
      entity=""
      reference=""
      slips={slips.map((slip) => (
        <Slip key={slip.transactionId} {...slip} />
      ))}
    >
      <Icon name="check" look="sign success" />
      <div class="center">
        <h2>{slips.length === 1 ? 'Pagamento feito' : `${slips.length} pagamentos feitos`}</h2>
        <p>{fault ? CONSEQUENCES[fault] : 'Guarde o talão: é a prova do pagamento.'}</p>
      </div>
      <a class="button plain" href={`/sandbox/atm?channel=${channel}`}>
        Pagar outra referência
      </a>
    </Machine>
  );
  return renderDocument({ title: 'Talão', body });
}

/** The effect of each fault on the merchant, as text. */
const CONSEQUENCES: Record<CashFault, string> = {
  twice: 'A mesma referência foi paga duas vezes: saíram dois talões.',
  late: 'Foi pago depois de a referência ter terminado: a loja recebe-o como pagamento fora do prazo.',
  wrong_amount: 'O montante não é o que a referência pedia.',
  notify_later: 'A loja só fica a saber daqui a uma hora.',
  lost: 'A notificação perdeu-se: a loja só descobre o pagamento quando consultar.',
};

function FindBill({ channel, entity, reference, wrong }: AtmView) {
  const isUnknown = wrong.includes('unknown');
  const error = isUnknown
    ? 'Não conhecemos esta referência nesta entidade. Confira os algarismos.'
    : 'Escreva os 9 a 15 algarismos da referência.';
  return (
    <form class="stack" method="get" action="/sandbox/atm">
      <input type="hidden" name="channel" value={channel} />
      <Digits
        name="entity"
        label="Entidade"
        value={entity}
        error={wrong.includes('entity') && 'Escreva os 5 algarismos da entidade.'}
      />
      <Digits
        name="reference"
        label="Referência"
        value={reference}
        error={(isUnknown || wrong.includes('reference')) && error}
      />
      <button>Continuar</button>
    </form>
  );
}

type DigitsProps = { name: 'entity' | 'reference'; label: string; value: string; error: string | false };

function Digits({ name, label, value, error }: DigitsProps) {
  const note = error || (name === 'entity' ? 'A da loja de demonstração é 00999.' : 'Com ou sem espaços.');
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <div class={error ? 'input wrong' : 'input'}>
        <input
          id={name}
          name={name}
          inputMode="numeric"
          autocomplete="off"
          required
          defaultValue={value}
          aria-invalid={error !== false}
          aria-describedby={`${name}-note`}
        />
      </div>
      <p id={`${name}-note`} class={error ? 'error' : 'small quiet'}>
        {note}
      </p>
    </div>
  );
}

type BillProps = AtmView & { bill: BillView };

function PayBill({ channel, amount, wrong, bill }: BillProps) {
  return (
    <div class="stack">
      {wrong.includes('other_amount') ? (
        <p class="error" role="alert">{`Esta referência pede exactamente ${bill.amountText}.`}</p>
      ) : null}
      <Bill {...bill} />
      <form id="pay" class="stack" method="post" action="/sandbox/atm">
        <Hidden channel={channel} bill={bill} />
        {bill.amount === null ? <Amount value={amount} isWrong={wrong.includes('amount')} /> : null}
        <button>{bill.amountText ? `Pagar ${bill.amountText}` : 'Pagar'}</button>
      </form>
      <p class="center small">
        <a href={`/sandbox/atm?channel=${channel}`}>Outra referência</a>
      </p>
      <CashFaults channel={channel} bill={bill} amount={amount} isWrong={wrong.includes('amount')} />
    </div>
  );
}

/** The details of a reference that a cash machine shows before it takes money. */
function Bill({ merchant, description, amountText, entity, reference }: BillView) {
  return (
    <>
      <div class="center">
        <p>{merchant ?? `Entidade ${entity}`}</p>
        {amountText ? <p class="amount">{amountText}</p> : null}
        {description ? <p class="quiet small">{description}</p> : null}
      </div>
      <dl class="rows">
        <div>
          <dt>Entidade</dt>
          <dd>{entity}</dd>
        </div>
        <div>
          <dt>Referência</dt>
          <dd class="time">{showReference(reference)}</dd>
        </div>
      </dl>
    </>
  );
}

function Amount({ value, isWrong }: { value: string; isWrong: boolean }) {
  return (
    <div class="field">
      <label for="amount">Quanto quer pagar</label>
      <div class={isWrong ? 'input wrong' : 'input'}>
        <input
          id="amount"
          name="amount"
          inputMode="decimal"
          autocomplete="off"
          required
          defaultValue={value}
          aria-invalid={isWrong}
          aria-describedby="amount-note"
        />
        <span class="unit">Kz</span>
      </div>
      <p id="amount-note" class={isWrong ? 'error' : 'small quiet'}>
        {isWrong ? 'Escreva um montante como 1500 ou 1 500,50.' : 'A loja deixa-o escolher o montante.'}
      </p>
    </div>
  );
}

const ENDED: Record<Exclude<BillView['state'], 'open'>, { title: string; text: string }> = {
  paid: { title: 'Já foi paga', text: 'Esta referência só se paga uma vez, e o dinheiro já chegou.' },
  expired: { title: 'O prazo terminou', text: 'Esta referência já não pode ser paga. Peça outra à loja.' },
  withdrawn: { title: 'Referência cancelada', text: 'A loja cancelou-a: não a pague.' },
};

function Ended({ channel, amount, wrong, bill }: BillProps) {
  if (bill.state === 'open') return null;
  const { title, text } = ENDED[bill.state];
  return (
    <div class="stack">
      <Icon name="stop" look="sign danger" />
      <div class="center">
        <h2>{title}</h2>
        <p>{text}</p>
      </div>
      <Bill {...bill} />
      <a class="button plain" href={`/sandbox/atm?channel=${channel}`}>
        Pagar outra referência
      </a>
      <CashFaults channel={channel} bill={bill} amount={amount} isWrong={wrong.includes('amount')} />
    </div>
  );
}
