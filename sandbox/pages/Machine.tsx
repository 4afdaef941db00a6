// The frame of the page that pays a reference: the choice of channel, and the cash machine, bank site or app.
import type { ComponentChildren } from 'preact';
import type { CashChannel } from '../../shared/sandbox.ts';

type MachineProps = {
  channel: CashChannel;
  /** The typed values, which the links to other channels keep. */
  entity: string;
  reference: string;
  children: ComponentChildren;
  /** The slips that the machine has printed. */
  slips?: ComponentChildren;
};

/** The whole content of a page that pays a reference. */
export function Machine({ channel, entity, reference, children, slips = null }: MachineProps) {
  const { title, terminal } = CHANNELS[channel];
  return (
    <main class="bench cash">
      <div class="stall">
        <nav class="places" aria-label="Onde pagar">
          {OFFERED.map((each) => (
            <a href={addressOf(each, entity, reference)} aria-current={each === channel ? 'page' : undefined}>
              {CHANNELS[each].tab}
            </a>
          ))}
        </nav>
        <div class={`machine ${channel.toLowerCase()}`}>
          <div class="screen">
            <div class="screen-head">
              <h1>Pagamento por referência</h1>
              <p class="quiet small">{`${title} · simulação`}</p>
            </div>
            <div class="screen-body stack">{children}</div>
          </div>
          {channel === 'ATM' ? <Keys /> : null}
        </div>
        {slips ? <div class="slips">{slips}</div> : null}
      </div>
      <aside class="stack" aria-label="Sobre esta página">
        <h2>O lado de quem paga</h2>
        <p>Pague uma referência como faria o cliente, e veja o dinheiro chegar à loja.</p>
        <p>{`No callback à loja, o terminal aparece como ${terminal}.`}</p>
        <p>
          Ainda não tem uma referência? <a href="/demo">Compre na loja</a>.
        </p>
      </aside>
    </main>
  );
}

type Channel = { tab: string; title: string; terminal: string };

const CHANNELS: Record<CashChannel, Channel> = {
  ATM: { tab: 'Caixa', title: 'Caixa automático', terminal: 'ATM, com o número e o local da máquina' },
  IB: { tab: 'Internet', title: 'Internet banking', terminal: 'IB, em “Internet”' },
  MB: { tab: 'Aplicação', title: 'Aplicação do banco', terminal: 'MB, número 0000000000, em “Internet”' },
  POS: { tab: 'Terminal', title: 'Terminal de pagamento', terminal: 'POS, com o número e o local da loja' },
};

/** The channels on the page. The POS channel is only for scripts. */
const OFFERED: CashChannel[] = ['ATM', 'IB', 'MB'];

function addressOf(channel: CashChannel, entity: string, reference: string): string {
  const typed = Object.entries({ channel, entity, reference }).filter(([, value]) => value !== '');
  return `/sandbox/atm?${new URLSearchParams(typed)}`;
}

/** The drawn keys and the slip slot of a cash machine. */
function Keys() {
  return (
    <svg class="keys" viewBox="0 0 320 74" aria-hidden="true">
      <path
        class="key"
        d={
          'M18 8h26v14H18ZM50 8h26v14H50ZM82 8h26v14H82ZM18 28h26v14H18ZM50 28h26v14H50ZM82 28h26v14H82Z' +
          'M18 48h26v14H18ZM50 48h26v14H50ZM82 48h26v14H82Z'
        }
      />
      <path class="key no" d="M114 8h26v14h-26Z" />
      <path class="key fix" d="M114 28h26v14h-26Z" />
      <path class="key yes" d="M114 48h26v14h-26Z" />
      <path class="slot" d="M180 12h122v10H180Z" />
      <path class="slot" d="M180 48h122v8H180Z" />
    </svg>
  );
}
