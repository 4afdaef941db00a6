// One settlement: the expected and the actual credit, possible reasons for a difference, and its movements.
import type { Settlement } from '../../../packages/client/src/contract.ts';
import type { Drawn } from '../../../shared/console.ts';
import type { DrawnScreen } from '../../layout.tsx';
import { Card, Head, List, Money, Rows, textsOf } from '../../parts.tsx';
import { addressOf, fill, money, whenOf } from '../../words.ts';
import { CREDIT_ACTS, Credits } from './credits.tsx';
import { BOOKS, LIMIT, MovementLine, nameAccount, showDay } from './parts.tsx';
import { differenceOf, SettlementState } from './settlements.tsx';

const PATH = `${BOOKS}/{settlementId}`;

type Part = { drawn: Drawn<{ settlement: Settlement }> };

export const settlement: DrawnScreen = {
  path: PATH,
  needs: 'readSettlement',
  live: ['settlement', 'refund'],
  reads({ params, query: { after } }) {
    const query = { limit: LIMIT, ...(after && { after }) };
    return { settlement: { operation: 'readSettlement', params, query } };
  },
  acts: CREDIT_ACTS,
  file: { path: `${PATH}/movements.csv`, ask: ({ params }) => ({ operation: 'readSettlement', params }) },
  draw(drawn: Part['drawn']) {
    const t = textsOf(drawn);
    const { settlement: shown } = drawn.data;
    const { day, currency, account, clearingPeriod, expectedCredit, changedAfterClose } = shown;
    const title = fill(t['settlement.title'], { day: showDay(day) });
    const difference = differenceOf(drawn, shown);
    const content = (
      <>
        <Head title={title} back={{ href: BOOKS, text: t['books.settlements'] }} />
        <Card title={t['settlement.expected']} live="state">
          <p class="amount huge">{money(expectedCredit, currency)}</p>
          <p>
            <SettlementState drawn={drawn} settlement={shown} />
          </p>
          {difference && <strong class="danger">{difference}</strong>}
          <p class="small quiet">
            {nameAccount(t, account)}
            {clearingPeriod !== day && ` · ${fill(t['settlement.period'], { period: clearingPeriod })}`}
          </p>
          {changedAfterClose && (
            <p class="warning">
              {fill(t['settlement.changed'], {
                n: changedAfterClose.count,
                amount: money(changedAfterClose.expectedCreditAtClose, currency),
              })}
            </p>
          )}
        </Card>
        <Reasons drawn={drawn} />
        <div class="halves">
          <Credits drawn={drawn} settlement={shown} />
          <Card title={t['settlement.sums']} live="sums">
            <Sums drawn={drawn} />
          </Card>
        </div>
        <Differences drawn={drawn} />
        <Movements drawn={drawn} />
      </>
    );
    return { title, content };
  },
};

/** The calculation from the received money to the expected bank credit. */
function Sums({ drawn }: Part) {
  const t = textsOf(drawn);
  const { taken, fees, refunded, refundedByHand, expectedCredit, credited, currency, ...shown } = drawn.data.settlement;
  const { count, closedAt, reconciledAt } = shown;
  const less = (amount: number) => amount !== 0 && money(-amount, currency);
  return (
    <Rows
      rows={[
        [t['settlement.taken'], money(taken, currency)],
        [t['settlement.fees'], less(fees)],
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

/** Possible reasons, the most likely first, each with its payment. */
function Reasons({ drawn }: Part) {
  const t = textsOf(drawn);
  const { reasons } = drawn.data.settlement;
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
                </span>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </div>
  );
}

/** Differences between our records and the rail's own list. */
function Differences({ drawn }: Part) {
  const t = textsOf(drawn);
  const { differences, differenceCount, currency } = drawn.data.settlement;
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

function Movements({ drawn }: Part) {
  const t = textsOf(drawn);
  const { id, movements } = drawn.data.settlement;
  const at = `${BOOKS}/${id}`;
  const { data, next } = movements;
  return (
    <section class="stack" aria-label={t['books.movements']}>
      <h2>{t['books.movements']}</h2>
      <List
        drawn={drawn}
        newest={at}
        foot={
          <a href={`${at}/movements.csv`} download>
            {t['payments.export']}
          </a>
        }
        more={next && addressOf(at, { after: next })}
      >
        {data.map((movement, nth) => (
          <MovementLine key={movement.id} drawn={drawn} movement={movement} before={data[nth - 1]} />
        ))}
      </List>
    </section>
  );
}
