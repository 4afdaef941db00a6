// The sandbox's inbox: every mail and message that the gateway sent to people, newest first.
import type { InboxView, LetterView } from '../../shared/sandbox.ts';
import { EnvelopeMark } from '../ui/Envelope.tsx';
import { Icon } from '../ui/Icon.tsx';
import { renderDocument } from './document.tsx';

/** `/sandbox/inbox`. */
export function renderInbox({ to, letters, hasMailServer }: InboxView): string {
  const body = (
    <main class="wide stack inbox">
      <div class="intro">
        <h1>Caixa de correio</h1>
        <p class="quiet">
          {hasMailServer
            ? 'O correio sai agora pelo servidor de SMTP_URL: sem ele, fica aqui.'
            : 'Nada sai da sandbox: o correio que a Balcão envia, seja a quem for, chega aqui.'}
        </p>
      </div>
      <Finder to={to} />
      <section class="stack" aria-labelledby="count">
        <div class="inbox-head">
          <h2 id="count">{describeCount(to, letters.length)}</h2>
          <a href={addressOf(to)}>Atualizar</a>
        </div>
        {letters.length === 0 ? (
          <Empty to={to} />
        ) : (
          <ul class="stack">
            {letters.map((letter, nth) => (
              <Letter key={nth} {...letter} isOpen={nth === 0} nth={nth} />
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

const addressOf = (to: string) => `/sandbox/inbox${to ? `?to=${encodeURIComponent(to)}` : ''}`;

function describeCount(to: string, count: number): string {
  const messages = count === 1 ? '1 mensagem' : `${count} mensagens`;
  return to ? `${messages} para ${to}` : messages;
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
            inputMode="email"
            autocomplete="off"
            placeholder="ana@exemplo.ao"
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
      <p>{to ? 'Ninguém escreveu para este endereço.' : 'Ainda não chegou nada.'}</p>
      <p class="small">O correio chega um instante depois do pedido que o manda.</p>
    </div>
  );
}

type LetterProps = LetterView & { isOpen: boolean; nth: number };

function Letter({ kind, to, subject, text, receivedAt, isOpen, nth }: LetterProps) {
  return (
    <li class="card">
      <article aria-labelledby={`letter-${nth}`}>
        <details open={isOpen} class="letter">
          <summary>
            {kind === 'mail' ? <EnvelopeMark /> : <Icon name="phone" />}
            <span class="sides">
              <span id={`letter-${nth}`}>{subject ?? 'SMS'}</span>
              <span class="quiet small time">{showMoment(receivedAt)}</span>
            </span>
            <span class="quiet small to">{`Para ${to}`}</span>
          </summary>
          <p class="letter-text">{linkAddresses(text)}</p>
        </details>
      </article>
    </li>
  );
}

/** The text with its links to follow; everything else as it is. */
function linkAddresses(text: string) {
  return text.split(/(https?:\/\/\S+)/).map((part, nth) => (nth % 2 ? <a href={part}>{part}</a> : part));
}

/** `02/03 10:00:05`: Luanda is UTC+1 all year. */
function showMoment(iso: string): string {
  const inLuanda = new Date(Date.parse(iso) + 3_600_000).toISOString();
  return inLuanda.replace(/^\d+-(\d+)-(\d+)T(.{8}).*/, '$2/$1 $3');
}
