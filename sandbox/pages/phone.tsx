// The test phone: a page to choose its number, and a page with its pushes.
import { showPhone } from '../../shared/phone.ts';
import { renderDocument } from './document.tsx';
import { magicOf, MagicNumbers } from './MagicNumbers.tsx';
import type { PhoneListView } from '../../shared/sandbox.ts';
import { PushList, type PhoneProps } from './PushList.tsx';

/** Renders `/sandbox/phone/{number}`: a phone with its pushes, with live updates if JavaScript runs. */
export function renderPhone({ script, ...phone }: PhoneProps & { script: string | null }): string {
  const { number } = phone;
  const effect = magicOf(number);
  const body = (
    <main class="bench">
      <div class="device">
        <div class="device-head">
          <h1>{showPhone(number)}</h1>
          <p class="quiet small">Multicaixa Express simulado</p>
        </div>
        <div id="pushes">
          <PushList {...phone} />
        </div>
      </div>
      <aside class="stack" aria-label="Sobre este telemóvel">
        <h2>{effect ? 'Um número que responde sozinho' : 'Este telemóvel espera por si'}</h2>
        <p>
          {effect
            ? `${effect}. Não precisa de fazer nada aqui.`
            : 'Pague com este número e aprove ou recuse aqui, como faria o cliente no seu telemóvel.'}
        </p>
        <p>
          <a href="/sandbox/phone">Outro número</a>
        </p>
      </aside>
    </main>
  );
  return renderDocument({
    title: `Telemóvel ${showPhone(number)}`,
    body,
    script,
    data: phone,
    refreshSeconds: 3,
  });
}

/** Renders `/sandbox/phone`: the choice of any number, or of a number with waiting pushes. */
export function renderPhoneList(props: PhoneListView): string {
  const body = (
    <main class="wide stack">
      <div class="intro">
        <h1>Telemóvel de teste</h1>
        <p class="quiet">Faça de cliente: receba o pedido de pagamento, e aprove-o ou recuse-o.</p>
      </div>
      <div class="halves">
        <section class="card pad stack" aria-label="Escolher o telemóvel">
          <NumberForm {...props} />
          <Waiting phones={props.phones} />
        </section>
        <section class="card pad" aria-label="Números de teste">
          <MagicNumbers />
        </section>
      </div>
    </main>
  );
  return renderDocument({ title: 'Telemóvel de teste', body });
}

function NumberForm({ typed, isWrong }: PhoneListView) {
  return (
    <form class="stack" method="get" action="/sandbox/phone">
      <div class="field">
        <label for="number">Número de telemóvel</label>
        <div class={isWrong ? 'input wrong' : 'input'}>
          <span aria-hidden="true">+244</span>
          <input
            id="number"
            name="number"
            type="tel"
            inputMode="tel"
            autocomplete="off"
            placeholder="923 456 789"
            required
            defaultValue={typed}
            aria-invalid={isWrong}
            aria-describedby={isWrong ? 'wrong' : undefined}
          />
        </div>
        {isWrong ? (
          <p class="error" id="wrong">
            Escreva os 9 algarismos, a começar por 9.
          </p>
        ) : null}
      </div>
      <button>Abrir o telemóvel</button>
    </form>
  );
}

function Waiting({ phones }: Pick<PhoneListView, 'phones'>) {
  if (phones.length === 0) return <p class="quiet small">Nenhum telemóvel tem pedidos à espera.</p>;
  return (
    <div class="stack">
      <h2>À espera de resposta</h2>
      <ul class="rows">
        {phones.map(({ number, waiting }) => (
          <li>
            <a href={`/sandbox/phone/${number}`}>{showPhone(number)}</a>
            <span class="quiet small">{waiting === 1 ? '1 pedido' : `${waiting} pedidos`}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
