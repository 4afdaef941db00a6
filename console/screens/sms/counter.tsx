// What a text costs while it is typed.
import { Island } from '../../islands/island.tsx';
import { textsOf, type AnyDrawn } from '../../parts.tsx';

/** @param field the id of the text's */
export function Counter({ drawn, field }: { drawn: AnyDrawn; field: string }) {
  const t = textsOf(drawn);
  return <Island name="parts" of={{ field, texts: { count: t['sms.count'], dear: t['sms.count.dear'] } }} />;
}
