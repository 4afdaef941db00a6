// The demo shop's rail accounts, and the fake providers that it can switch to.
import type { RailsView, RailTrial } from '../../shared/sandbox.ts';

/** The section of the sandbox's entry page about rail accounts. It works without JavaScript. */
export function Rails({ accounts, trials }: RailsView) {
  return (
    <section id="rails" class="card pad stack" aria-labelledby="rails-title">
      <div class="intro">
        <h2 id="rails-title">Por quem a loja cobra</h2>
        <p class="quiet">
          Sem contrato próprio, a loja cobra pelo simulador. Ligue um prestador a fingir, e ela passa a cobrar por ele,
          tal como cobraria pelo verdadeiro.
        </p>
      </div>
      {accounts.length === 0 ? null : (
        <ul class="rail-accounts" aria-label="Contas da loja">
          {accounts.map((account) => (
            <Account key={account.id} {...account} />
          ))}
        </ul>
      )}
      <ul class="trials" aria-label="Prestadores a fingir">
        {trials.map((trial) => (
          <Trial key={trial.name} {...trial} />
        ))}
      </ul>
    </section>
  );
}

const KINDS = { gpo: 'telemóvel e QR', ppr: 'referências', sms: 'SMS' };

function Account({ id, label, kind, isStopped }: RailsView['accounts'][number]) {
  return (
    <li>
      <p>
        <strong>{label}</strong>, {KINDS[kind]}
        {isStopped ? <span class="quiet small"> · parada, só acaba o que começou</span> : null}
      </p>
      <form method="post" action={`/sandbox/rails/accounts/${id}/remove`}>
        <button class="plain">
          Retirar<span class="unseen">{` ${label}, ${KINDS[kind]}`}</span>
        </button>
      </form>
    </li>
  );
}

function Trial({ name, title, about, isChosen, isRunning }: RailTrial) {
  return (
    <li>
      <div>
        <h3>{title}</h3>
        <p class="quiet small">{about}</p>
      </div>
      <div class="trial-ways">
        {isRunning ? <a href={`/sandbox/rails/${name}/`}>{`Abrir ${title}`}</a> : null}
        {isChosen && isRunning ? null : (
          <form method="post" action={`/sandbox/rails/${name}`}>
            <button class="plain">{isChosen ? `Ligar ${title} outra vez` : `Experimentar ${title}`}</button>
          </form>
        )}
      </div>
    </li>
  );
}
