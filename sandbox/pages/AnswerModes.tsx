// The answer modes of the demo shop's server: one button each, with its effect on the next call.
import type { ShopMode } from '../../shared/sandbox.ts';

type AnswerModesProps = { mode: ShopMode; delaySeconds: number };

/** The buttons that change the demo shop's answer mode, with or without JavaScript. */
export function AnswerModes({ mode, delaySeconds }: AnswerModesProps) {
  const { name, effect } = MODES[mode];
  return (
    <section class={`card pad stack conduct ${mode === 'ok' ? '' : 'odd'}`} aria-labelledby="conduct">
      <h2 id="conduct">Como a loja responde</h2>
      <p class="effect" role="status">
        <strong>{mode === 'slow' ? `${name} ${delaySeconds}\u00a0s` : name}</strong>
        <span class="quiet small">{effect}</span>
      </p>
      <div class="ways-to-answer">
        <Way mode="ok" current={mode} />
        <form method="post" action={SET} class="slow">
          <Press mode="slow" current={mode} />
          <input
            id="delay"
            name="delaySeconds"
            type="number"
            inputMode="numeric"
            min="1"
            max="120"
            required
            defaultValue={String(delaySeconds)}
          />
          <label for="delay" class="small">
            segundos
          </label>
        </form>
        {OTHERS.map((each) => (
          <Way key={each} mode={each} current={mode} />
        ))}
      </div>
    </section>
  );
}

const SET = '/sandbox/callbacks/mode';

/** Typical failures of merchants' servers as answer modes, and the gateway's reaction to each. */
const MODES: Record<ShopMode, { name: string; effect: string }> = {
  ok: { name: 'Responde bem', effect: 'Confirma logo cada callback; um repetido não conta como outra venda.' },
  slow: { name: 'Demora', effect: 'Faz a venda e só depois confirma. Passados 10 segundos, já ninguém espera.' },
  error: {
    name: 'Erro 500',
    effect: 'O servidor falha. O callback volta daqui a 5\u00a0s, 30\u00a0s, 2\u00a0min… durante 72 horas.',
  },
  refuse: {
    name: 'Não confirma',
    effect: 'Responde 200, mas com Success a false: o callback não conta como entregue.',
  },
  hang: {
    name: 'Fica calada',
    effect: 'Aceita a ligação e não responde. Passados 10 segundos, o callback fica por entregar.',
  },
  garbage: { name: 'Responde lixo', effect: 'Faz a venda, mas ninguém percebe a resposta: o callback vem outra vez.' },
  gone: { name: '410 Fechada', effect: 'Diz que este endereço acabou: o callback só volta se alguém o pedir.' },
  busy: { name: '429 Ocupada', effect: 'Pede 60 segundos de sossego (Retry-After), e o callback espera.' },
};

const OTHERS: ShopMode[] = ['error', 'refuse', 'hang', 'garbage', 'gone', 'busy'];

function Way({ mode, current }: { mode: ShopMode; current: ShopMode }) {
  return (
    <form method="post" action={SET}>
      <Press mode={mode} current={current} />
    </form>
  );
}

function Press({ mode, current }: { mode: ShopMode; current: ShopMode }) {
  return (
    <button class={mode === current ? '' : 'plain'} name="mode" value={mode} aria-pressed={mode === current}>
      {mode === 'ok' && current !== 'ok' ? 'Voltar a responder bem' : MODES[mode].name}
    </button>
  );
}
