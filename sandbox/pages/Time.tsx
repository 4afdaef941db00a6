// The sandbox's time, and buttons that move the time ahead. The buttons work without JavaScript.
import { showMoment } from '../../shared/luanda.ts';
import type { TimeView } from '../../shared/sandbox.ts';

const STEPS = [
  ['PT1H', '1 hora'],
  ['P1D', '1 dia'],
  ['P7D', '1 semana'],
  ['P1M', '1 mês'],
];

export function Time({ now, isAhead }: TimeView) {
  return (
    <section id="time" class="card pad stack" aria-labelledby="time-title">
      <div class="intro">
        <h2 id="time-title">O que acontece amanhã?</h2>
        <p class="quiet">
          Adiante o relógio deste ambiente de testes e veja referências a expirar, callbacks a repetir-se e o dia a
          fechar. O relógio é o mesmo para todas as lojas e não volta atrás.
        </p>
      </div>
      <p>
        Aqui são{' '}
        <strong>
          <time dateTime={now}>{showMoment(new Date(now))}</time>
        </strong>{' '}
        em Luanda{isAhead ? ', mais tarde do que lá fora.' : ', como lá fora.'}
      </p>
      <form method="post" action="/sandbox/clock" class="time-steps" aria-label="Adiantar o relógio">
        {STEPS.map(([advance, text]) => (
          <button key={advance} class="plain" name="advance" value={advance}>
            <span class="unseen">Adiantar </span>
            {text}
          </button>
        ))}
      </form>
    </section>
  );
}
