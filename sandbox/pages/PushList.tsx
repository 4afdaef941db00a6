// The pushes on a test phone: rendered by the server, then updated by the page's script.
import { showLuandaTime } from '../../shared/countdown.ts';
import type { PhoneView, PushView } from '../../shared/sandbox.ts';
import { pt } from '../../checkout/text/pt.ts';
import { Icon } from '../../shared/ui/Icon.tsx';

export type PhoneProps = PhoneView & { isOffline?: boolean };

/** The list of a phone's pushes: first the waiting ones with two buttons, then the decided ones with their outcome. */
export function PushList({ number, serverTime, pushes, isOffline = false }: PhoneProps) {
  const waiting = pushes.filter((push) => push.state === 'waiting');
  const decided = pushes.filter((push) => push.state !== 'waiting');
  const nowMs = Date.parse(serverTime);
  return (
    <div class="stack">
      <p class="unseen" role="status">
        {waiting.length === 1 ? '1 pedido à espera' : `${waiting.length} pedidos à espera`}
      </p>
      {isOffline ? <p class="offline small">Sem ligação ao simulador. Voltamos a tentar.</p> : null}
      {waiting.length === 0 ? <Quiet /> : null}
      {waiting.map((push) => (
        <Request key={push.id} number={number} push={push} nowMs={nowMs} />
      ))}
      {decided.length > 0 ? (
        <section key="decided" aria-labelledby="decided">
          <h2 id="decided" class="small quiet">
            Anteriores
          </h2>
          <ul class="rows">
            {decided.map((push) => (
              <Outcome key={push.id} push={push} nowMs={nowMs} />
            ))}
          </ul>
        </section>
      ) : null}
    </div>
  );
}

function Quiet() {
  return (
    <div class="quiet-phone quiet" key="quiet">
      <Icon name="phone" />
      <p>Nenhum pedido à espera</p>
      <p class="small">Quando alguém pagar com este número, o pedido aparece aqui.</p>
    </div>
  );
}

function Request({ number, push, nowMs }: { number: string; push: PushView; nowMs: number }) {
  const { id, reference, description, amountText, isReservation } = push;
  const merchant = push.merchant ?? 'Loja';
  const base = `/sandbox/phone/${number}/pushes/${encodeURIComponent(id)}`;
  return (
    <article
      class="request stack"
      aria-label={`Pedido de ${merchant}, ${isReservation ? 'reservar ' : ''}${amountText}`}
    >
      <div>
        <p class="request-top small">
          <strong>{merchant}</strong>
          <span class="quiet time">{remainingText(push, nowMs)}</span>
        </p>
        {isReservation ? <p class="small">Reservar, sem cobrar já</p> : null}
        <p class="amount">{amountText}</p>
        <p class="quiet small">
          {description ? `${description} · ` : ''}
          <span class="code">{reference}</span>
        </p>
      </div>
      <div class="answers">
        <form method="post" action={`${base}/approve`}>
          <button>{isReservation ? 'Reservar' : 'Aprovar'}</button>
        </form>
        <form method="post" action={`${base}/decline`}>
          <button class="plain">Recusar</button>
        </form>
      </div>
    </article>
  );
}

function Outcome({ push, nowMs }: { push: PushView; nowMs: number }) {
  const isApproved = push.state === 'approved';
  const reason = (pt as Record<string, string>)[`failure.${push.reason}`] ?? 'Recusado';
  return (
    <li>
      <span class={isApproved ? 'outcome success' : 'outcome danger'}>
        <Icon name={isApproved ? 'check' : 'stop'} />
        <span>{isApproved ? (push.isReservation ? 'Reservado' : 'Aprovado') : reason}</span>
      </span>
      <span class="quiet small time">{push.decidedAt ? showLuandaTime(push.decidedAt, nowMs) : ''}</span>
      <span class="quiet small">{`${push.amountText} · ${push.merchant ?? push.reference}`}</span>
    </li>
  );
}

/** The remaining time of a push, such as `1:07`, or a note if the simulator has not yet decided an expired push. */
function remainingText(push: PushView, nowMs: number): string {
  const seconds = Math.ceil((Date.parse(push.expiresAt) - nowMs) / 1000);
  if (seconds <= 0) return 'A terminar…';
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
