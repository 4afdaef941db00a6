// The live part of the demo shop's page: rendered by the server, then updated by the page's script.
import type { CallbacksView } from '../../shared/sandbox.ts';
import { Arrival } from './Arrival.tsx';
import { AnswerModes } from './AnswerModes.tsx';
import { TrayMark } from './Tray.tsx';

export type DeskProps = CallbacksView & { isOffline?: boolean };

/** The demo shop's answer mode, and the calls that it received. */
export function ShopDesk({ mode, delaySeconds, sales, arrivals, isOffline = false }: DeskProps) {
  return (
    <>
      <AnswerModes mode={mode} delaySeconds={delaySeconds} />
      <section class="arrived stack" aria-labelledby="arrived">
        <div class="arrived-head">
          <h2 id="arrived">O que chegou</h2>
          <p role="status" class="small quiet">
            <span>{countOf(arrivals.length, 'callback', 'callbacks')}</span>
            {' · '}
            <strong>{countOf(sales, 'venda feita', 'vendas feitas')}</strong>
          </p>
        </div>
        {isOffline ? <p class="offline small">Sem ligação ao ambiente de testes. Voltamos a tentar.</p> : null}
        {arrivals.length === 0 ? (
          <Empty />
        ) : (
          <ol class="arrivals">
            {arrivals.map((arrival) => (
              <Arrival key={arrival.id} {...arrival} />
            ))}
          </ol>
        )}
        <div class="tools">
          <p class="small quiet">
            Ficam aqui os últimos 100. <a href="/sandbox/callbacks">Actualizar</a>
          </p>
          <Tool action="test" name="Enviar um teste" />
          {arrivals.length === 0 ? null : <Tool action="forget" name="Esquecer tudo" />}
        </div>
      </section>
    </>
  );
}

function countOf(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

function Empty() {
  return (
    <div class="empty quiet" key="empty">
      <TrayMark isEmpty />
      <p>Ainda não chegou nada</p>
      <p class="small">Um callback aparece aqui assim que a loja for paga por código QR ou por referência.</p>
    </div>
  );
}

function Tool({ action, name }: { action: 'test' | 'forget'; name: string }) {
  return (
    <form method="post" action={`/sandbox/callbacks/${action}`}>
      <button class="plain">{name}</button>
    </form>
  );
}
