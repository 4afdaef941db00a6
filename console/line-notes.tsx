// The notes of a form that is sent over a bad line. The script shows one of them at a time.
import type { Language } from '../shared/language.ts';
import { Icon } from './icons.tsx';
import { TEXTS } from './words.ts';

/** A form with these notes is sent by the script (line.ts). Without the script, the browser sends the form. */
export function LineNotes({ lang }: { lang: Language }) {
  const t = TEXTS[lang];
  return (
    <div data-line aria-live="assertive">
      <p class="quiet" data-says="sending" hidden>
        {t['line.sending']}
      </p>
      {(['unsent', 'unknown'] as const).map((name) => (
        <div key={name} class="notice warning" data-says={name} hidden>
          <Icon name={name === 'unsent' ? 'broken' : 'stop'} />
          <p>
            <strong>{t[`line.${name}`]}</strong> {t[`line.${name}.hint`]}
          </p>
        </div>
      ))}
    </div>
  );
}
