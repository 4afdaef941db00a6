// The notes of a form that is sent over a bad connection. The script shows one of them at a time.
import type { Language } from '../shared/language.ts';
import { Icon } from './icons.tsx';
import { TEXTS } from './words.ts';

/** A form with these notes is sent by the script (send-charge.ts). Without the script, the browser sends the form. */
export function LineNotes({ lang }: { lang: Language }) {
  const t = TEXTS[lang];
  return (
    <div data-connection aria-live="assertive">
      <p class="unseen" data-says="sending" hidden>
        {t['line.sending']}
      </p>
      <Note name="unsent" title={t['line.unsent']} text={t['line.unsent.away']} />
      <Note name="back" title={t['line.unsent']} text={t['line.unsent.back']} />
      <Note name="unknown" title={t['line.unknown']} text={t['line.unknown.hint']} />
    </div>
  );
}

function Note({ name, title, text }: { name: 'unsent' | 'back' | 'unknown'; title: string; text: string }) {
  return (
    <div class="notice warning" data-says={name} hidden>
      <Icon name={name === 'unsent' ? 'broken' : 'stop'} />
      <p>
        <strong>{title}</strong> {text}
      </p>
    </div>
  );
}
