// What a text costs while it is typed; the script counts, and without one the next step does.
import { textsOf, type AnyDrawn } from '../../parts.tsx';

/** @param field the id of the text's */
export function Counter({ drawn, field }: { drawn: AnyDrawn; field: string }) {
  const t = textsOf(drawn);
  return (
    <p
      class="small quiet"
      hidden
      data-counts={field}
      data-count={t['sms.count']}
      data-dear={t['sms.count.dear']}
      aria-live="polite"
    />
  );
}
