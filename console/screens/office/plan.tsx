// The merchant's plan, this month's usage, and the monthly statements (the API's invoices).
import type { ListedInvoice, Plan, Subscription, Usage } from '../../../packages/client/src/contract.ts';
import type { ScreenProps } from '../../../shared/console.ts';
import type { Language } from '../../../shared/language.ts';
import { capitalizeMonth, showDay } from '../../../shared/luanda.ts';
import { ActForm, Folded } from '../../form.tsx';
import type { Screen } from '../../layout.tsx';
import { Badge, Card, Empty, Head, Line, Money, Rows, Table, textsOf } from '../../parts.tsx';
import { fill, money, type ConsoleTexts } from '../../words.ts';

const PATH = '/console/plan';

type Page = {
  subscription: Subscription | null;
  plans: { data: Plan[] };
  usage: Usage;
  invoices: { data: ListedInvoice[]; totalItems: number };
};
type Part = { page: ScreenProps<Page> };

const pageOf = ({ query }: ScreenProps<Page>['opened']) =>
  /^[1-9]\d{0,5}$/.test(query['page'] ?? '') ? query['page']! : '1';
const PAGE_SIZE = 12;

export const plan: Screen = {
  path: PATH,
  needs: 'listInvoices',
  menu: { group: 'shop', text: 'plan.title', icon: 'file' },
  reads: (opened) => ({
    subscription: { operation: 'readSubscription', nullIfMissing: true },
    plans: { operation: 'listPlans' },
    usage: { operation: 'readUsage' },
    invoices: { operation: 'listInvoices', query: { pageSize: String(PAGE_SIZE), page: pageOf(opened) } },
  }),
  acts: {
    choosePlan: { operation: 'choosePlan', buildCall: ({ planId = '' }) => ({ body: { planId } }) },
  },
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const content = (
      <>
        <Head title={t['plan.title']} />
        <div class="halves">
          <Chosen page={page} />
          <Used page={page} />
        </div>
        <h2>{t['invoices.title']}</h2>
        <Invoices page={page} />
      </>
    );
    return { title: t['plan.title'], content };
  },
};

function Chosen({ page }: Part) {
  const t = textsOf(page);
  const { subscription, plans } = page.data;
  const mayChoose = page.visitor.may('choosePlan') && plans.data.length > 0;
  const next = subscription?.next;
  return (
    <Card title={subscription ? subscription.plan.name : t['plan.none.title']}>
      {subscription ? (
        <>
          <p class="amount">{money(subscription.plan.monthlyFee, subscription.plan.currency)}</p>
          <p class="quiet">{termsOf(t, subscription.plan)}</p>
        </>
      ) : (
        <p class="quiet">{mayChoose ? t['plan.none'] : t['plan.none.ask']}</p>
      )}
      {next && (
        <p class="warning">
          {fill(t['plan.next'], { plan: next.plan.name, month: showMonth(next.from, page.visitor.lang) })}
        </p>
      )}
      {mayChoose && (
        <Folded page={page} act="choosePlan" title={t['plan.choose']} isOpen={!subscription}>
          <ul class="plain-list">
            {plans.data.map((each) => (
              <PlanLine key={each.id} page={page} plan={each} />
            ))}
          </ul>
          {subscription && <p class="small quiet">{t['plan.choose.about']}</p>}
        </Folded>
      )}
    </Card>
  );
}

function PlanLine({ page, plan: { id, name, ...terms } }: Part & { plan: Plan }) {
  const t = textsOf(page);
  const { subscription } = page.data;
  const isChosen = (subscription?.next?.plan.id ?? subscription?.plan.id) === id;
  return (
    <li>
      <span>
        <strong>{name}</strong>
        <span class="small quiet">{termsOf(t, { id, name, ...terms })}</span>
      </span>
      {isChosen ? (
        <span class="small quiet">{t['plan.chosen']}</span>
      ) : (
        <ActForm page={page} name="choosePlan" button={t['plan.choose.button']} tone="plain">
          <input type="hidden" name="planId" value={id} />
        </ActForm>
      )}
    </li>
  );
}

function Used({ page }: Part) {
  const t = textsOf(page);
  const { usage, subscription } = page.data;
  const { payments, amounts, refunds } = usage.totals;
  const included = subscription?.plan.includedPayments;
  return (
    <Card title={t['usage.title']}>
      <p class="amount">{payments}</p>
      <p class="quiet">{included === undefined ? t['usage.payments'] : fill(t['usage.of'], { n: included })}</p>
      <Rows
        rows={[
          [t['usage.received'], sumOf(amounts)],
          [t['usage.refunds'], refunds.count > 0 && `${refunds.count} · ${sumOf(refunds.amounts)}`],
        ]}
      />
      {usage.data.length > 0 && (
        <details class="act">
          <summary>{t['usage.days']}</summary>
          <Table
            caption={t['usage.days']}
            rows={usage.data.toReversed()}
            keyOf={({ day }) => day}
            columns={[
              { title: t['usage.day'], cell: ({ day }) => showDay(day) },
              { title: t['usage.payments.short'], cell: (day) => day.payments, isNumber: true },
              { title: t['usage.received'], cell: (day) => sumOf(day.amounts), isNumber: true },
            ]}
          />
        </details>
      )}
    </Card>
  );
}

function Invoices({ page }: Part) {
  const t = textsOf(page);
  const { data, totalItems } = page.data.invoices;
  const current = Number(pageOf(page.opened));
  if (data.length === 0) return <Empty text={t['invoices.none']} />;
  return (
    <>
      <ul class="card list">
        {data.map((invoice) => (
          <InvoiceLine key={invoice.id} page={page} invoice={invoice} />
        ))}
      </ul>
      {current * PAGE_SIZE < totalItems && (
        <a class="button plain" href={`${PATH}?page=${current + 1}`}>
          {t['list.more']}
        </a>
      )}
    </>
  );
}

function InvoiceLine({ page, invoice }: Part & { invoice: ListedInvoice }) {
  const t = textsOf(page);
  const { id, month, number, total, credited, currency, fiscal } = invoice;
  const end = (
    <>
      <Money amount={total} currency={currency} />
      {credited > 0 && <Badge icon="slip" tone="warning" text={t['invoice.credited']} />}
    </>
  );
  return (
    <Line
      id={id}
      href={`/console/invoices/${id}`}
      title={showMonth(month, page.visitor.lang)}
      about={fiscal?.number ?? number}
      end={end}
    />
  );
}

const LOCALES: Record<Language, string> = { pt: 'pt-PT', en: 'en-GB', fr: 'fr-FR' };

/** Formats the month `2026-11` as its name and year. */
export function showMonth(month: string, lang: Language): string {
  const words = { timeZone: 'UTC', month: 'long', year: 'numeric' } as const;
  const text = new Intl.DateTimeFormat(LOCALES[lang], words).format(new Date(`${month}-01T00:00:00Z`));
  return lang === 'pt' ? capitalizeMonth(text) : text;
}

/** The prices of the merchant's plan in one line. */
function termsOf(t: ConsoleTexts, { monthlyFee, includedPayments, paymentFee, currency }: Plan): string {
  const fees = { fee: money(monthlyFee, currency), n: includedPayments, each: money(paymentFee, currency) };
  return fill(t['plan.terms'], fees);
}

const sumOf = (amounts: Usage['totals']['amounts']) =>
  amounts.map(({ amount, currency }) => money(amount, currency)).join(' · ');
