// The page of the demo shop's server: the received calls, and its answer mode.
import type { CallbacksPage } from '../../shared/sandbox.ts';
import { renderDocument } from './document.tsx';
import { ShopDesk } from './ShopDesk.tsx';
import { Code } from './start.tsx';

/** Renders `/sandbox/callbacks`, with live updates if JavaScript runs. */
export function renderCallbacks({ script, publicUrl, hookUrl, accessKey, merchantId, ...desk }: CallbacksPage): string {
  const body = (
    <main class="wide stack">
      <div class="intro">
        <h1>O servidor da loja</h1>
        <p class="quiet">
          A Loja da Ilha já recebe aqui os seus callbacks. Pague um <a href="/sandbox/scan">código QR</a> ou uma{' '}
          <a href="/sandbox/atm">referência</a>, ou <a href="/demo">compre na loja</a>, e veja o callback chegar.
        </p>
      </div>
      <div class="desk">
        <div id="desk">
          <ShopDesk {...desk} />
        </div>
        <Address {...{ publicUrl, hookUrl, accessKey, merchantId }} />
      </div>
    </main>
  );
  return renderDocument({ title: 'O servidor da loja', body, script, data: desk });
}

type AddressProps = Pick<CallbacksPage, 'publicUrl' | 'hookUrl' | 'accessKey' | 'merchantId'>;

/** The URL of the calls, the command that restores the URL, and the same data for scripts. */
function Address({ publicUrl, hookUrl, accessKey, merchantId }: AddressProps) {
  const point = `curl -s -X PUT ${publicUrl}/api/merchants/${merchantId}/callback \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{"url":"${hookUrl}",
       "accessKey":"${accessKey}"}'`;
  const script = `curl -s -X PUT ${publicUrl}/sandbox/callbacks/mode \\
  -H 'Content-Type: application/json' \\
  -d '{"mode":"slow","delaySeconds":8}'
curl -s -H 'Accept: application/json' \\
  ${publicUrl}/sandbox/callbacks`;
  return (
    <details class="card pad address">
      <summary>Endereço e chave</summary>
      <div class="stack">
        <dl class="rows">
          <div>
            <dt>Endereço</dt>
            <dd class="mono">{hookUrl}</dd>
          </div>
          <div>
            <dt>Access-Key</dt>
            <dd class="mono">{accessKey}</dd>
          </div>
        </dl>
        <p class="quiet small">A loja já está assim. Se mudar o endereço para o seu servidor, este comando repõe-no:</p>
        <Code text={point} />
        <p class="quiet small">Nos seus testes, mude o modo e leia o que chegou:</p>
        <Code text={script} />
      </div>
    </details>
  );
}
