// One call to the demo shop: its content and the shop's result. The request and the response are below.
import type { ComponentChildren } from 'preact';
import type { ArrivalView } from '../../shared/sandbox.ts';
import { Icon } from '../../shared/ui/Icon.tsx';
import { SlipMark } from './Slip.tsx';
import { writeLuandaTime } from '../../shared/luanda.ts';

/** An entry of the list of calls to the demo shop. */
export function Arrival(arrival: ArrivalView) {
  const { id, kind, about, attempt, amountText, receivedAt, answer } = arrival;
  const { sign, name } = KINDS[kind];
  const { icon, tone, text } = describeOutcome(arrival);
  const notes = [about && (kind === 'ppr' ? about.replace(/(\d{3})(?=\d)/g, '$1 ') : about)];
  if (attempt && attempt > 1) notes.push(`${attempt}.ª tentativa`);
  return (
    <li class="card arrival">
      <article aria-labelledby={`arrival-${id}`}>
        <div class="arrival-head">
          {sign}
          <div class="sides">
            <h3 id={`arrival-${id}`}>{name}</h3>
            {amountText ? <p class="price">{amountText}</p> : null}
          </div>
          <div class="sides quiet small">
            <p>{notes.filter(Boolean).join(' · ')}</p>
            <p class="time">{showMoment(receivedAt)}</p>
          </div>
        </div>
        <p class="verdict">
          <span class={tone}>
            <Icon name={icon} />
          </span>
          <span class={tone}>{text}</span>
          {answer ? <span class="status small">{answer.status}</span> : null}
        </p>
        <details>
          <summary class="small">Pedido e resposta</summary>
          <Exchange {...arrival} />
        </details>
      </article>
    </li>
  );
}

const KINDS: Record<ArrivalView['kind'], { sign: ComponentChildren; name: string }> = {
  ppr: { sign: <SlipMark />, name: 'Referência paga' },
  qrcode: { sign: <Icon name="code" />, name: 'Código QR pago' },
  webhook: { sign: <Pulse />, name: 'Evento' },
  test: { sign: <Pulse />, name: 'Teste' },
  unknown: { sign: <Icon name="stop" />, name: 'Callback desconhecido' },
};

function Pulse() {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d="M2.500 12.500h4l3-8 5 15 3-7h4" />
    </svg>
  );
}

type Outcome = { icon: 'check' | 'stop' | 'clock' | 'broken'; tone: string; text: string };

/** One sentence about the outcome of a call: an unknown caller, or the shop's result and its answer. */
function describeOutcome(arrival: ArrivalView): Outcome {
  const { isKeyRight, outcome, answer, kind } = arrival;
  if (isKeyRight === false) return { icon: 'stop', tone: 'danger', text: 'Recusado: a Access-Key não é a da loja.' };
  const done = describeSale(arrival);
  if (!answer) {
    if (outcome === 'open') return { icon: 'clock', tone: 'warning', text: joinWords(done, 'ainda não há resposta') };
    return { icon: 'broken', tone: 'warning', text: joinWords(done, 'o Balcão desistiu de esperar') };
  }
  const { status, body } = answer;
  if (status >= 300) return { icon: 'stop', tone: 'danger', text: `Não foi tratado: a loja respondeu ${status}.` };
  if (typeof body === 'string')
    return { icon: 'broken', tone: 'warning', text: joinWords(done, 'a resposta foi lixo') };
  if (!(body as { Success?: unknown }).Success)
    return { icon: 'stop', tone: 'warning', text: 'Não foi tratado: a loja respondeu Success: false.' };
  if (arrival.isRepeat) return { icon: 'check', tone: 'brand', text: `${done}.` };
  return { icon: 'check', tone: 'success', text: done ? `${done}.` : RECEIVED[kind] };
}

/** The sale that belongs to the call: a new sale, or the sale of an earlier attempt. */
function describeSale({ sale, isRepeat }: ArrivalView): string {
  // A non-breaking hyphen keeps the sale's number on one line.
  const number = sale?.replace('-', '\u2011');
  if (!isRepeat) return number ? `Venda feita: ${number}` : '';
  return number ? `Repetido: ${number} já estava feita` : 'Repetido: já tinha sido recebido';
}

const joinWords = (done: string, rest: string) =>
  done ? `${done}, mas ${rest}.` : `${rest[0]?.toUpperCase()}${rest.slice(1)}.`;

const RECEIVED: Record<ArrivalView['kind'], string> = {
  ppr: 'Recebido.',
  qrcode: 'Recebido.',
  webhook: 'Evento recebido.',
  test: 'Teste recebido: não é uma venda.',
  unknown: 'Recebido, mas a loja não sabe o que é.',
};

function Exchange({ headers, body, answer }: ArrivalView) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <div class="exchange small">
      <p class="quiet">Pedido</p>
      <pre tabIndex={0} role="group" aria-label="Pedido">
        <code>{[...lines, '', showBody(body)].join('\n')}</code>
      </pre>
      <p class="quiet">Resposta</p>
      <pre tabIndex={0} role="group" aria-label="Resposta">
        <code>{answer ? `${answer.status}\n\n${showBody(answer.body)}` : '(nenhuma)'}</code>
      </pre>
    </div>
  );
}

function showBody(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body, null, 2);
}

/** Formats a time as `02/03 10:00:05`. */
export function showMoment(iso: string): string {
  return writeLuandaTime(new Date(iso)).replace(/^\d+-(\d+)-(\d+)T(.{8}).*/, '$2/$1 $3');
}
