// Shows how many SMS parts a text costs while a person types it.
import { Island } from '../../islands/island.tsx';
import { textsOf, type AnyScreenProps } from '../../parts.tsx';

/** The counter below a text field. @param field the id of that field */
export function Counter({ page, field }: { page: AnyScreenProps; field: string }) {
  const t = textsOf(page);
  return <Island name="parts" props={{ field, texts: { count: t['sms.count'], dear: t['sms.count.dear'] } }} />;
}
