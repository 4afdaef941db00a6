// The demo shop's front page: its products, and five payment methods.
import { renderDocument } from './document.tsx';
import { Picture, ShopMark } from './Picture.tsx';

type Product = { id: string; name: string; about: string; amountText: string; order: string };

/** Renders the demo shop's front page, `/demo`. */
export function renderShop({ products, script }: { products: Product[]; script: string | null }): string {
  const body = (
    <main class="wide stack">
      <div class="shop-head">
        <ShopMark />
        <div>
          <h1>Loja da Ilha</h1>
          <p class="quiet">Coisas boas de Angola, escolhidas com cuidado.</p>
        </div>
      </div>
      <p class="tip small">
        Uma loja de demonstração. Pague com o número <strong>900 000 000</strong>, que aprova sozinho, ou com{' '}
        <a href="/sandbox/phone">outro número de teste</a>.
      </p>
      <ul class="shelf">
        {products.map((product) => (
          <Card {...product} />
        ))}
      </ul>
      <div class="ways small quiet">
        <p>
          <strong>Pagar na página</strong> abre a página do Balcão e volta à loja no fim.
        </p>
        <p>
          <strong>Pagar aqui</strong> mostra o pagamento dentro da loja, sem sair dela.
        </p>
        <p>
          <strong>Numa janela</strong> abre a página do Balcão por cima da loja.
        </p>
        <p>
          <strong>Código QR</strong> abre um código para ler com o <a href="/sandbox/scan">telemóvel de teste</a>.
        </p>
        <p>
          <strong>Por referência</strong> dá os dados para pagar no <a href="/sandbox/atm">caixa automático de teste</a>
          .
        </p>
      </div>
    </main>
  );
  return renderDocument({ title: 'Loja da Ilha', body, script });
}

function Card({ id, name, about, amountText, order }: Product) {
  return (
    <li class="product card">
      <Picture id={id} />
      <div class="product-text">
        <h2>{name}</h2>
        <p class="quiet small">{about}</p>
        <p class="price">{amountText}</p>
      </div>
      <form class="product-ways" method="post" action="/demo/orders" autocomplete="off">
        <input type="hidden" name="product" value={id} />
        <input type="hidden" name="order" value={order} />
        <button name="way" value="page">
          Pagar na página<span class="unseen">{` ${name}`}</span>
        </button>
        <button name="way" value="widget" class="plain">
          Pagar aqui<span class="unseen">{` ${name}`}</span>
        </button>
        <button name="way" value="dialog" class="plain">
          Numa janela<span class="unseen">{` ${name}`}</span>
        </button>
        <button name="way" value="code" class="plain">
          Código QR<span class="unseen">{` ${name}`}</span>
        </button>
        <button name="way" value="reference" class="plain">
          Por referência<span class="unseen">{` ${name}`}</span>
        </button>
      </form>
    </li>
  );
}
