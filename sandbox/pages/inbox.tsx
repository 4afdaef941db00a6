// The sandbox's inbox: every mail and SMS that the gateway sent, newest first.
import { normalizePhone, showPhone } from '../../shared/phone.ts';
import type { InboxView } from '../../shared/sandbox.ts';
import { EnvelopeMark } from '../../checkout/ui/Envelope.tsx';
import { renderDocument } from './document.tsx';
import { Letter } from './Letter.tsx';

/** Renders the page of the sandbox's inbox, `/sandbox/inbox`. */
export function renderInbox({ to, letters, repliedTo, ...routes }: InboxView): string {
  const body = (
    <main class="wide stack inbox">
      <div class="intro">
        <h1>Caixa de correio</h1>
        <p class="quiet">{describeRoutes(routes)}</p>
      </div>
      <Finder to={to} />
      <section class="stack" aria-labelledby="count">
        <div class="inbox-head">
          <h2 id="count">{describeCount(to, letters.length)}</h2>
          <a href={addressOf(to)}>Actualizar</a>
        </div>
        {letters.length === 0 ? (
          <Empty to={to} />
        ) : (
          <ul class="stack">
            {letters.map((letter, nth) => (
              <Letter
                key={letter.id}
                {...letter}
                nth={nth}
                isOpen={nth === 0 || letter.id === repliedTo}
                isReplied={letter.id === repliedTo}
                reader={to}
              />
            ))}
          </ul>
        )}
        {letters.length > 0 ? (
          <form method="post" action="/sandbox/inbox/empty">
            <button class="plain">Esvaziar a caixa</button>
          </form>
        ) : null}
      </section>
    </main>
  );
  return renderDocument({ title: 'Caixa de correio', body });
}

/** States which messages stay in the inbox, and which ones leave the sandbox. */
function describeRoutes({ hasMailServer, hasSmsRail }: Pick<InboxView, 'hasMailServer' | 'hasSmsRail'>): string {
  if (hasMailServer && hasSmsRail)
    return 'O correio sai agora por SMTP_URL e os SMS por SMS_URL: sem eles, ficam aqui.';
  if (hasMailServer) return 'O correio sai agora pelo servidor de SMTP_URL: sem ele, fica aqui, como os SMS.';
  if (hasSmsRail) return 'Os SMS saem agora por SMS_URL: sem ele, ficam aqui, como o correio.';
  return 'Nada sai daqui: o correio e os SMS que o Balcão envia, seja a quem for, chegam a esta caixa.';
}

const addressOf = (to: string) => `/sandbox/inbox${to ? `?to=${encodeURIComponent(to)}` : ''}`;

function describeCount(to: string, count: number): string {
  const messages = count === 1 ? '1 mensagem' : `${count} mensagens`;
  const phone = normalizePhone(to);
  return to ? `${messages} para ${phone ? showPhone(phone) : to}` : messages;
}

function Finder({ to }: { to: string }) {
  return (
    <form class="finder" method="get" action="/sandbox/inbox">
      <div class="field">
        <label for="to">Só as mensagens para</label>
        <div class="input">
          <input
            id="to"
            name="to"
            type="text"
            autocomplete="off"
            placeholder="ana@exemplo.ao ou 923 456 789"
            defaultValue={to}
          />
        </div>
      </div>
      <button class="plain">Procurar</button>
      {to ? <a href="/sandbox/inbox">Ver todas</a> : null}
    </form>
  );
}

function Empty({ to }: { to: string }) {
  return (
    <div class="card pad center quiet">
      <EnvelopeMark />
      <p>{to ? 'Ninguém escreveu para este endereço ou número.' : 'Ainda não chegou nada.'}</p>
      <p class="small">As mensagens chegam um instante depois de serem enviadas.</p>
    </div>
  );
}
