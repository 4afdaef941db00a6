// The confirmation of a sale in cash. It is no receipt of a payment, because the cash stays beside the gateway.
import type { ScreenProps } from '../../shared/console.ts';
import { Icon } from '../icons.tsx';
import { Head, Rows, textsOf } from '../parts.tsx';
import { money, whenOf } from '../words.ts';
import { totalOf } from './articles/sum.ts';

/** The response to the form shows the sale once. A reload sends the same form, which records no second sale. */
export function renderCashSale(page: ScreenProps<unknown>) {
  const t = textsOf(page);
  const { visitor, formResult, now } = page;
  const total = totalOf(formResult?.typed ?? {});
  const { amount, description } = typeof total === 'string' ? { amount: 0, description: '' } : total;
  const title = `${t['charge.cash']} · ${money(amount, 'AOA')}`;
  const content = (
    <>
      <div class="unprinted">
        <Head title={t['charge.title']} back={{ href: '/console/charge', text: t['charge.next'] }} />
      </div>
      <section class="card pad stack" tabIndex={-1} data-focus>
        <div class="center stack">
          <Icon name="check" tone="sign success" />
          <h2>{t['charge.cash.done']}</h2>
          <p class="amount huge">{money(amount, 'AOA')}</p>
        </div>
        <Rows
          rows={[
            [t['charge.cash.shop'], visitor.merchant?.name],
            [t['charge.cash.when'], whenOf(now.toISOString())],
            [t['payment.description'], description],
            [t['charge.cash.by'], visitor.name],
          ]}
        />
        <p class="small quiet">{t['charge.cash.beside']}</p>
      </section>
      <section class="card pad stack unprinted">
        <a class="button" href="/console/charge">
          {t['charge.next']}
        </a>
        <button type="button" class="plain" data-print hidden>
          {t['receipt.print']}
        </button>
      </section>
    </>
  );
  return { title, content };
}
