// The page of a demo order: its payment state, and the widget in the page or in a dialog.
import { h } from 'preact';
import type { OrderView } from '../../shared/sandbox.ts';
import { isFinal } from '../../shared/status.ts';
import { renderDocument } from './document.tsx';
import { OrderState } from './OrderState.tsx';
import { Picture, ShopMark } from './Picture.tsx';
import { Code } from './start.tsx';

type OrderProps = OrderView & { isDialog: boolean; script: string | null };

/** Renders the page of a demo order, `/demo/orders/{order}`. */
export function renderOrder(props: OrderProps): string {
  const { order, product, amountText, paymentId, token, read, isDialog, script } = props;
  const isOpen = !isFinal(read.status) && token !== null;
  const body = (
    <main class={isOpen ? 'wide stack' : 'wide narrow stack'}>
      <div class="shop-head">
        <ShopMark />
        <div>
          <p class="quiet small">Loja da Ilha</p>
          <h1 class="order">
            Encomenda <span class="code">{order}</span>
          </h1>
        </div>
      </div>
      <div class={isOpen ? 'halves paying' : 'stack'}>
        <section class="card pad stack" aria-label="Encomenda">
          <div class="bought">
            <Picture id={product.id} />
            <div>
              <h2>{product.name}</h2>
              <p class="price">{amountText}</p>
            </div>
          </div>
          <div id="order-state">
            <OrderState {...read} />
          </div>
        </section>
        {isOpen ? isDialog ? <Dialog {...props} /> : <Widget {...props} /> : null}
      </div>
      <details class="card pad">
        <summary>O que o servidor da loja lê</summary>
        <div class="stack">
          <p class="quiet small">
            {'É esta leitura que decide. As mensagens do navegador só servem para a loja voltar a ler. ' +
              `Pagamento ${paymentId}:`}
          </p>
          <Code text={`${props.tokenCommand}\n${props.readCommand}`} />
        </div>
      </details>
      <p>
        <a href="/demo">Voltar à loja</a>
      </p>
    </main>
  );
  return renderDocument({
    title: `Encomenda ${order}`,
    body,
    script: isOpen ? script : null,
    hasWidget: isOpen,
    data: read,
    refreshSeconds: isOpen && read.status === 'Processing' ? 4 : null,
  });
}

/** A link to the checkout page. The shop's script opens the checkout dialog instead. */
function Dialog({ token, checkoutUrl, amountText }: OrderProps) {
  return (
    <section class="stack" aria-label="Pagamento">
      {checkoutUrl && (
        <a class="button" id="pay" href={checkoutUrl}>
          Pagar {amountText}
        </a>
      )}
      <p class="quiet small">
        Abre uma janela do Balcão por cima da loja. Se a fechar, o pagamento continua: abra-a outra vez para ver como
        está.
      </p>
      {h('balcao-checkout', { token, lang: 'pt' })}
    </section>
  );
}

function Widget({ token, checkoutUrl, isByReference }: OrderProps) {
  // The element's content is a link to the checkout page, until the widget renders or if no script runs.
  const otherWay = checkoutUrl ? (
    <a class="button" href={checkoutUrl}>
      Pagar na página segura
    </a>
  ) : null;
  return (
    <section class="stack" aria-label="Pagamento">
      {h('balcao-payment', { token, lang: 'pt' }, otherWay)}
      {!isByReference && (
        <p class="quiet small">
          Não tem o telemóvel consigo? Use o{' '}
          <a href="/sandbox/phone" target="_blank" rel="noopener">
            telemóvel de teste
          </a>
          , que abre ao lado.
        </p>
      )}
    </section>
  );
}
