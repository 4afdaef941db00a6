// The sandbox's entry page, and a page with one sentence, such as an error.
import { DEMO_SIGN_IN_PATH, DEMO_SLUG, type NoticeView, type SandboxView } from '../../shared/sandbox.ts';
import { EnvelopeMark } from '../../checkout/ui/Envelope.tsx';
import { Icon } from '../../shared/ui/Icon.tsx';
import { renderDocument } from './document.tsx';
import { MagicNumbers } from './MagicNumbers.tsx';
import { SlipMark } from './Slip.tsx';
import { ShopMark } from './Picture.tsx';
import { Rails } from './Rails.tsx';
import { Time } from './Time.tsx';
import { TrayMark } from './Tray.tsx';

/** Renders the entry page `/sandbox`: an overview of what people can try. */
export function renderSandbox({ publicUrl, tokenCommand, rails, time }: SandboxView): string {
  const create = `curl -s ${publicUrl}/api/payments \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{"amount":1500,"currency":"AOA",
       "paymentType":"GPO","reference":"TESTE-1"}'`;
  const body = (
    <main class="wide stack">
      <div class="intro">
        <h1>Experimente o Balcão</h1>
        <p class="quiet">Tudo funciona como a sério, menos o dinheiro: os telemóveis e o banco são simulados.</p>
      </div>
      <ul class="doors">
        {ENTRIES.map((door) => (
          <li class="card">
            {door.sign}
            <div>
              <h2>
                <a href={door.href}>{door.title}</a>
              </h2>
              <p class="quiet">{door.text}</p>
            </div>
          </li>
        ))}
      </ul>
      <Console />
      <Rails {...rails} />
      <Time {...time} />
      <div class="halves">
        <section class="card pad" aria-label="Números de teste">
          <MagicNumbers />
        </section>
        <section class="card pad stack" aria-labelledby="api">
          <h2 id="api">A partir do seu servidor</h2>
          <p class="quiet">Peça um token, que dura uma hora:</p>
          <Code text={tokenCommand} />
          <p class="quiet">Crie um pagamento; abra o checkoutUrl da resposta para o pagar:</p>
          <Code text={create} />
          <p>
            <a href="/docs">Todas as operações da API</a>, com um comando para cada uma.
          </p>
        </section>
      </div>
    </main>
  );
  return renderDocument({ title: 'Experimente', body });
}

/** Buttons that sign a demo user in to the console. */
function Console() {
  return (
    <section id="console" class="card pad stack" aria-labelledby="console-title">
      <div class="intro">
        <h2 id="console-title">A consola da loja</h2>
        <p class="quiet">
          Veja os pagamentos da loja a chegar, e devolva o que for preciso. Entre como proprietária, que pode tudo, ou
          como caixa, que vê e pode só o que lhe cabe.
        </p>
      </div>
      <form method="post" action={DEMO_SIGN_IN_PATH} class="time-steps">
        <button name="who" value="owner">
          Entrar como proprietária
        </button>
        <button name="who" value="cashier" class="plain">
          Entrar como caixa
        </button>
      </form>
      <p>
        <a href="/account/register">Ou crie a sua conta e a sua loja</a>, como quem chega pela primeira vez.
      </p>
    </section>
  );
}

/** A decorative icon of a chain link. */
function LinkMark() {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path
        d={
          'M10 14a4.500 4.500 0 0 0 6.400 0l3.200-3.200a4.500 4.500 0 0 0-6.400-6.400l-1.400 1.400' +
          'M14 10a4.500 4.500 0 0 0-6.400 0l-3.200 3.200a4.500 4.500 0 0 0 6.400 6.400l1.400-1.400'
        }
      />
    </svg>
  );
}

const ENTRIES = [
  {
    sign: <ShopMark />,
    href: '/demo',
    title: 'Loja de demonstração',
    text: 'Compre um café e pague na página do Balcão, ou sem sair da loja.',
  },
  {
    sign: <LinkMark />,
    href: `/l/${DEMO_SLUG}`,
    title: 'Link de pagamento',
    text: 'Pague sem loja nenhuma: um endereço que se envia, se imprime ou se lê como código.',
  },
  {
    sign: <Icon name="phone" />,
    href: '/sandbox/phone',
    title: 'Telemóvel de teste',
    text: 'Receba os pedidos de pagamento de qualquer número, e aprove-os ou recuse-os.',
  },
  {
    sign: <Icon name="code" />,
    href: '/sandbox/scan',
    title: 'Pagar um código QR',
    text: 'Leia o código de um pagamento, pela imagem ou colando o que ele diz, e pague-o.',
  },
  {
    sign: <SlipMark />,
    href: '/sandbox/atm',
    title: 'Pagar uma referência',
    text: 'No caixa automático, no internet banking ou na aplicação, com as avarias que um dia acontecem.',
  },
  {
    sign: <TrayMark />,
    href: '/sandbox/callbacks',
    title: 'Servidor da loja',
    text: 'Veja os callbacks que a loja recebe, e ponha-a a demorar, a falhar ou a calar-se.',
  },
  {
    sign: <EnvelopeMark />,
    href: '/sandbox/inbox',
    title: 'Caixa de correio',
    text: 'Leia o correio e os SMS que o Balcão envia às pessoas, e responda aos SMS.',
  },
];

/** Renders a page with one sentence and a link. */
export function renderNotice({ title, text, link }: NoticeView): string {
  const body = (
    <main class="page">
      <div class="card pad stack">
        <h1>{title}</h1>
        <p>{text}</p>
        <a class="button" href={link.href}>
          {link.text}
        </a>
      </div>
    </main>
  );
  return renderDocument({ title, body });
}

/** Commands to copy. A long command wraps on screen, but the copied text stays unchanged. */
export function Code({ text }: { text: string }) {
  return (
    <pre>
      <code>{text}</code>
    </pre>
  );
}
