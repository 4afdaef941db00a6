// The pages of the test phone that pay a QR code: the code, its amount, and the outcome.
import { showPhone } from '../../shared/phone.ts';
import type { CodeState, CodeView, ScanFormView, ScanView } from '../../shared/sandbox.ts';
import { pt } from '../../checkout/text/pt.ts';
import { Icon } from '../../shared/ui/Icon.tsx';
import type { IconName } from '../../shared/icons.ts';
import type { ComponentChildren } from 'preact';
import { renderDocument } from './document.tsx';

type ScanFormProps = ScanFormView & { script: string | null };

/** Renders `/sandbox/scan`: a form for the QR code, then the amount to pay. */
export function renderScanForm({ script, ...form }: ScanFormProps): string {
  const { content, code } = form;
  const screen =
    code?.state === 'open' ? <PayCode {...form} code={code} /> : <ReadCode content={content} code={code} />;
  return renderDocument({ title: 'Pagar um código QR', body: <Device>{screen}</Device>, script });
}

/** Renders `/sandbox/scan/{id}`: the payment is accepted, refused, or still pending. */
export function renderScan(scan: ScanView): string {
  const { icon, tone, title } = OUTCOMES[scan.state];
  const reason = (pt as Record<string, string>)[`failure.${scan.reason}`] ?? CLOSED[scan.reason as 'ended'];
  const rows = [
    ['Montante', scan.amountText],
    ['Telemóvel', showPhone(scan.phone.replace('+244', ''))],
    ['N.º da transacção', scan.transaction],
  ];
  const body = (
    <Device>
      <Icon name={icon} look={`sign ${tone}`} />
      <div class="center">
        <h2>{title}</h2>
        {scan.state === 'refused' ? <p>{reason ?? 'O pagamento não foi feito.'}</p> : null}
      </div>
      <dl class="rows">
        {rows.map(([label, value]) =>
          value ? (
            <div>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ) : null,
        )}
      </dl>
      <a class="button plain" href="/sandbox/scan">
        Ler outro código
      </a>
    </Device>
  );
  return renderDocument({ title, body, reloadSeconds: scan.state === 'pending' ? 2 : null });
}

type Outcome = { icon: IconName; tone: string; title: string };

const OUTCOMES: Record<ScanView['state'], Outcome> = {
  accepted: { icon: 'check', tone: 'success', title: 'Pagamento feito' },
  refused: { icon: 'stop', tone: 'danger', title: 'Pagamento recusado' },
  pending: { icon: 'clock', tone: 'brand', title: 'A confirmar o pagamento' },
};

/** The reasons why a QR code cannot be paid. */
const CLOSED: Record<Exclude<CodeState, 'open'>, string> = {
  used_up: 'Este código já recebeu todos os pagamentos que podia.',
  ended: 'O prazo deste código terminou.',
  withdrawn: 'A loja retirou este código.',
};

function ReadCode({ content, code }: { content: string; code: CodeView | null }) {
  const closed = code && code.state !== 'open' ? CLOSED[code.state] : null;
  const error = closed ?? (content === '' ? null : 'Não conhecemos este código. Confira se está completo.');
  return (
    <form id="code" class="stack" method="get" action="/sandbox/scan">
      <div class="stack" hidden>
        <label class="button picker">
          Escolher a imagem do código
          <input id="image" class="unseen" type="file" accept="image/*" aria-describedby="image-note" />
        </label>
        <p id="image-note" class="small quiet center" role="status">
          Ou cole a imagem aqui.
        </p>
      </div>
      <div class="field">
        <label for="content">O que o código diz</label>
        <textarea
          id="content"
          name="content"
          rows={5}
          required
          autocomplete="off"
          spellcheck={false}
          class={error ? 'wrong' : ''}
          aria-invalid={error !== null}
          aria-describedby={error ? 'content-error' : undefined}
        >
          {content}
        </textarea>
        {error ? (
          <p id="content-error" class="error">
            {error}
          </p>
        ) : null}
      </div>
      <button class="plain">Ver o pagamento</button>
    </form>
  );
}

function PayCode({ content, phone, phoneError, code }: ScanFormView & { code: CodeView }) {
  const { merchant, amountText, description, reference, accepted, max } = code;
  return (
    <form class="stack" method="post" action="/sandbox/scan">
      <input type="hidden" name="content" value={content} />
      <div class="center">
        <p>{merchant ?? 'Loja'}</p>
        <p class="amount">{amountText}</p>
        <p class="quiet small">
          {description && description !== reference ? `${description} · ${reference}` : reference}
        </p>
        {max > 1 ? <p class="quiet small">{`${accepted} de ${max} pagos`}</p> : null}
      </div>
      <div class="field">
        <label for="phone">Pagar com o número</label>
        <div class={phoneError ? 'input wrong' : 'input'}>
          <span aria-hidden="true">+244</span>
          <input
            id="phone"
            name="phone"
            type="tel"
            autocomplete="off"
            required
            defaultValue={phone || '923 456 789'}
            aria-invalid={phoneError}
            aria-describedby="phone-note"
          />
        </div>
        <p id="phone-note" class={phoneError ? 'error' : 'small quiet'}>
          {phoneError
            ? 'Escreva os 9 algarismos, a começar por 9.'
            : 'Qualquer número paga logo; o 900 000 002 não tem saldo.'}
        </p>
      </div>
      <button>{`Pagar ${amountText}`}</button>
      <p class="center small">
        <a href="/sandbox/scan">Ler outro código</a>
      </p>
    </form>
  );
}

function Device({ children }: { children: ComponentChildren }) {
  return (
    <main class="bench">
      <div class="device">
        <div class="device-head">
          <h1>Pagar um código QR</h1>
          <p class="quiet small">Multicaixa Express simulado</p>
        </div>
        <div class="device-body stack">{children}</div>
      </div>
      <aside class="stack" aria-label="Sobre esta página">
        <h2>A aplicação do cliente</h2>
        <p>Escolha a imagem de um código QR, ou cole o que ele diz, e pague-o como faria o cliente no seu telemóvel.</p>
        <p>
          <a href="/sandbox/phone">Números de teste</a>
        </p>
      </aside>
    </main>
  );
}
