// One settlement: the expected and the actual bank credit, possible reasons for a difference, and its movements.
import type { Settlement } from '../../../packages/client/src/contract.ts';
import type { ScreenProps } from '../../../shared/console.ts';
import { showDay } from '../../../shared/luanda.ts';
import type { Screen } from '../../layout.tsx';
import { Card, Head, List, Money, Rows, textsOf } from '../../parts.tsx';
import { addressOf, fill, money, whenOf } from '../../words.ts';
import { CREDIT_ACTS, Credits } from './credits.tsx';
import { EXPLANATION_ACTS, ExplanationCard } from './explanation.tsx';
import { FEE_ACTS, feePath, Fees } from './fees.tsx';
import { BOOKS, DAYS, LIMIT, MovementLine, nameAccount } from './parts.tsx';
import { differenceOf, SettlementState, toneOf } from './state.tsx';

const PATH = `${BOOKS}/{settlementId}`;

type Part = { page: ScreenProps<{ settlement: Settlement }> };

export const settlement: Screen = {
  path: PATH,
  needs: 'readSettlement',
  live: ['settlement', 'refund'],
  reads({ params, query: { after } }) {
    const query = { limit: LIMIT, ...(after && { after }) };
    return { settlement: { operation: 'readSettlement', params, query } };
  },
  acts: { ...CREDIT_ACTS, ...FEE_ACTS, ...EXPLANATION_ACTS },
  file: { path: `${PATH}/movements.csv`, buildCall: ({ params }) => ({ operation: 'readSettlement', params }) },
  render(page: Part['page']) {
    const t = textsOf(page);
    const { settlement: shown } = page.data;
    const { day, currency, account, clearingPeriod, expectedCredit, changedAfterClose } = shown;
    const title = fill(t['settlement.title'], { account: nameAccount(t, account), day: showDay(day) });
    const difference = differenceOf(page, shown);
    const content = (
      <>
        <Head title={title} back={{ href: `${DAYS}/${day}`, text: fill(t['day.title'], { day: showDay(day) }) }} />
        <Card title={t['settlement.expected']} live="state">
          <p class="amount huge">{money(expectedCredit, currency)}</p>
          <p>
            <SettlementState page={page} settlement={shown} />
          </p>
          {difference && <strong class={toneOf(shown.status)}>{difference}</strong>}
          {clearingPeriod !== day && (
            <p class="small quiet">{fill(t['settlement.period'], { period: clearingPeriod })}</p>
          )}
          {changedAfterClose && (
            <p class="warning">
              {fill(t['settlement.changed'], {
                n: changedAfterClose.count,
                amount: money(changedAfterClose.expectedCreditAtClose, currency),
              })}
            </p>
          )}
        </Card>
        <Reasons page={page} />
        <ExplanationCard page={page} settlement={shown} />
        <div class="halves">
          <div class="stack">
            <Credits page={page} settlement={shown} />
            <Fees page={page} settlement={shown} />
          </div>
          <Card title={t['settlement.sums']} live="sums">
            <Sums page={page} />
          </Card>
        </div>
        <Differences page={page} />
        <Movements page={page} />
      </>
    );
    return { title, content };
  },
};

/** The calculation of the expected bank credit from the received money. */
function Sums({ page }: Part) {
  const t = textsOf(page);
  const { taken, fees, bankFees, refunded, refundedByHand, expectedCredit, credited, currency, ...shown } =
    page.data.settlement;
  const { count, closedAt, reconciledAt } = shown;
  const less = (amount: number) => amount !== 0 && money(-amount, currency);
  return (
    <Rows
      rows={[
        [t['settlement.taken'], money(taken, currency)],
        [t['settlement.fees'], less(fees)],
        [t['settlement.bankFees'], less(bankFees)],
        [t['settlement.refunded'], less(refunded)],
        [t['settlement.net'], <Money amount={expectedCredit} currency={currency} />],
        [t['settlement.credited'], money(credited, currency)],
        [t['settlement.manual'], refundedByHand !== 0 && money(refundedByHand, currency)],
        [t['books.movements'], count],
        [t['settlement.closed'], closedAt && whenOf(closedAt)],
        [t['settlement.reconciled'], reconciledAt && whenOf(reconciledAt)],
      ]}
    />
  );
}

/** Possible reasons for a settlement's difference, the most likely first, each with its payment. */
function Reasons({ page }: Part) {
  const t = textsOf(page);
  const { id, reasons, difference, currency } = page.data.settlement;
  return (
    <div data-live-part="reasons">
      {reasons.length > 0 && (
        <Card title={t['settlement.reasons']}>
          <ul class="plain-list">
            {reasons.map(({ code, paymentId, movementId, clearingPeriod }) => (
              <li key={code + movementId}>
                <span>
                  <span>{fill(t[`reason.${code}`], { period: clearingPeriod ?? '' })}</span>
                  <span class="small quiet">{t[`reason.${code}.do`]}</span>
                  {paymentId && <a href={`/console/payments/${paymentId}`}>{t['charge.open']}</a>}
                  {code === 'fee' && page.visitor.may('enterCredits') && (
                    <a href={feePath(id)}>{fill(t['fee.enter.amount'], { amount: money(-difference, currency) })}</a>
                  )}
                </span>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </div>
  );
}

/** Differences between the gateway's records and the rail's own list. */
function Differences({ page }: Part) {
  const t = textsOf(page);
  const { differences, differenceCount, currency } = page.data.settlement;
  const show = (amount: number | null) => (amount === null ? '' : money(amount, currency));
  return (
    <div data-live-part="differences">
      {differences.length > 0 && (
        <Card title={fill(t['settlement.differences'], { n: differenceCount })}>
          <ul class="plain-list">
            {differences.map(({ kind, providerRef, amount, ourAmount, paymentId }, nth) => (
              <li key={nth}>
                <span>
                  <span>{fill(t[`difference.${kind}`], { there: show(amount), here: show(ourAmount) })}</span>
                  <span class="small quiet">{providerRef}</span>
                  {paymentId && <a href={`/console/payments/${paymentId}`}>{t['charge.open']}</a>}
                </span>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </div>
  );
}

function Movements({ page }: Part) {
  const t = textsOf(page);
  const { id, movements } = page.data.settlement;
  const at = `${BOOKS}/${id}`;
  const { data, next } = movements;
  return (
    <section class="stack" aria-label={t['books.movements']}>
      <h2>{t['books.movements']}</h2>
      <List
        page={page}
        newest={at}
        foot={
          <a href={`${at}/movements.csv`} download>
            {t['payments.export']}
          </a>
        }
        more={next && addressOf(at, { after: next })}
      >
        {data.map((movement, nth) => (
          <MovementLine key={movement.id} page={page} movement={movement} before={data[nth - 1]} />
        ))}
      </List>
    </section>
  );
}
