// One monthly statement (the API's invoice): how to pay it, its lines and its corrections, with their PDF files.
import type { Invoice } from '../../../packages/client/src/contract.ts';
import type { ScreenProps } from '../../../shared/console.ts';
import type { Screen } from '../../layout.tsx';
import { showIban } from '../../../shared/iban.ts';
import { showDay } from '../../../shared/luanda.ts';
import { AskOperator, Card, CopyField, Head, Money, Rows, Table, textsOf } from '../../parts.tsx';
import { dayOf, fill, money } from '../../words.ts';
import { showMonth } from './plan.tsx';

type Page = { invoice: Invoice };
type Part = { page: ScreenProps<Page> };

const PATH = '/console/invoices/{invoiceId}';
const NOTE = '/console/credit-notes/{creditNoteId}/pdf';

export const invoice: Screen = {
  path: PATH,
  needs: 'readInvoice',
  reads: ({ params: { invoiceId = '' } }) => ({ invoice: { operation: 'readInvoice', params: { invoiceId } } }),
  acts: {},
  documents: [
    {
      path: `${PATH}/pdf`,
      type: 'application/pdf',
      buildCall: ({ params: { invoiceId = '' } }) => ({ operation: 'readInvoice', params: { invoiceId } }),
    },
    {
      path: NOTE,
      type: 'application/pdf',
      buildCall: ({ params: { creditNoteId = '' } }) => ({ operation: 'readCreditNote', params: { creditNoteId } }),
    },
  ],
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const { id, month, number, title, total, currency } = page.data.invoice;
    const content = (
      <>
        <Head title={showMonth(month, page.visitor.lang)} back={{ href: '/console/plan', text: t['plan.title'] }} />
        <Card title={title}>
          <p class="amount">{money(total, currency)}</p>
          <Details page={page} />
          <a class="button plain" href={`${PATH.replace('{invoiceId}', id)}/pdf`}>
            {t['invoice.pdf']}
          </a>
        </Card>
        <Payment page={page} />
        <Lines page={page} />
        <CreditNotes page={page} />
      </>
    );
    return { title: number, content };
  },
};

function Payment({ page }: Part) {
  const t = textsOf(page);
  const { payment, amountDue, credited, currency } = page.data.invoice;
  if (amountDue === 0)
    return (
      <Card title={t['pay.title']}>
        <p>{t['pay.nothing']}</p>
      </Card>
    );
  const { iban, holder, dueOn, note, reference, contact } = payment ?? {};
  return (
    <Card title={t['pay.title']}>
      {iban ? (
        <Rows
          rows={[
            [t['pay.amount'], credited > 0 && money(amountDue, currency)],
            [t['pay.until'], dueOn && showDay(dueOn)],
            ['IBAN', <CopyField page={page} text={showIban(iban)} label="IBAN" />],
            [t['pay.holder'], holder],
            [t['pay.reference'], reference && <CopyField page={page} text={reference} label={t['pay.reference']} />],
            [t['pay.note'], note],
          ]}
        />
      ) : (
        <AskOperator page={page} about="pay" {...(contact && { contact })} />
      )}
    </Card>
  );
}

function Details({ page }: Part) {
  const t = textsOf(page);
  const { number, fiscal, issuedAt, issuer, merchantName, merchantTaxId, plan, payments, ...sums } = page.data.invoice;
  const { currency, subtotal, tax, taxPercent, credited } = sums;
  const withTaxId = (name: string, taxId: string | null) => (taxId ? `${name} · NIF ${taxId}` : name);
  return (
    <Rows
      rows={[
        [t['invoice.number'], fiscal ? `${fiscal.number} (${number})` : number],
        [t['invoice.issued'], dayOf(issuedAt)],
        [t['invoice.issuer'], withTaxId(issuer.name, issuer.taxId)],
        [t['invoice.address'], issuer.address],
        [t['invoice.receiver'], withTaxId(merchantName, merchantTaxId)],
        [t['invoice.plan'], plan],
        [t['usage.payments.short'], payments],
        [t['invoice.subtotal'], money(subtotal, currency)],
        [`IVA ${String(taxPercent).replace('.', ',')} %`, money(tax, currency)],
        [t['invoice.credited.sum'], credited > 0 && money(credited, currency)],
      ]}
    />
  );
}

function Lines({ page }: Part) {
  const t = textsOf(page);
  const { lines, currency } = page.data.invoice;
  return (
    <Table
      caption={t['invoice.lines']}
      rows={lines}
      keyOf={({ description }) => description}
      columns={[
        { title: t['invoice.what'], cell: ({ description }) => description },
        { title: t['invoice.quantity'], cell: ({ quantity }) => quantity, isNumber: true },
        { title: t['invoice.each'], cell: ({ unitPrice }) => money(unitPrice, currency), isNumber: true },
        {
          title: t['invoice.amount'],
          cell: ({ amount }) => <Money amount={amount} currency={currency} />,
          isNumber: true,
        },
      ]}
    />
  );
}

function CreditNotes({ page }: Part) {
  const t = textsOf(page);
  const { creditNotes } = page.data.invoice;
  if (creditNotes.length === 0) return null;
  return (
    <Card title={t['notes.title']}>
      <ul class="plain-list">
        {creditNotes.map(({ id, number, fiscal, issuedAt, total, currency, reason }) => (
          <li key={id}>
            <span>
              <strong>{fiscal?.number ?? number}</strong>
              <span class="small quiet">{fill(t['notes.about'], { day: dayOf(issuedAt), reason })}</span>
              <a class="small" href={NOTE.replace('{creditNoteId}', id)}>
                {t['invoice.pdf']}
              </a>
            </span>
            <Money amount={total} currency={currency} />
          </li>
        ))}
      </ul>
    </Card>
  );
}
