// Shows how many SMS parts a text costs while a person types it.
import { Island } from '../../islands/island.tsx';
import { textsOf, type AnyDrawn } from '../../parts.tsx';

/** @param field the id of the text field */
export function Counter({ page, field }: { page: AnyDrawn; field: string }) {
  const t = textsOf(page);
  return <Island name="parts" of={{ field, texts: { count: t['sms.count'], dear: t['sms.count.dear'] } }} />;
}
