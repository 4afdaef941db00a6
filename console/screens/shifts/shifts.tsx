// The list of shifts: the visitor's own open shift, and earlier ones. Owners and administrators see all people.
import type { Merchant, Shift } from '../../../packages/client/src/contract.ts';
import type { ScreenLocation, ScreenProps } from '../../../shared/console.ts';
import { dayOf, showTimeOn } from '../../../shared/luanda.ts';
import { UUID } from '../../../shared/uuid.ts';
import { ActForm, Field } from '../../form.tsx';
import type { Screen } from '../../layout.tsx';
import { Icon } from '../../icons.tsx';
import { Badge, Card, Empty, Head, Line, List, Money, Rows, textsOf } from '../../parts.tsx';
import type { Cashiers } from '../../search.tsx';
import { addressOf, fill, money, typedAmount, whenOf } from '../../words.ts';
import { CURRENT_SHIFT, SHIFTS, shiftAddressOf } from './sums.tsx';

type Page = {
  current: { shift: Shift | null };
  list: { data: Shift[]; next: string | null };
  merchant: Merchant;
  /** Null for a person who reads only her own shifts. */
  cashiers: Cashiers | null;
};
type Part = { page: ScreenProps<Page> };

function filtersOf({ query: { user = '' } }: ScreenLocation): Record<string, string> {
  return UUID.test(user) ? { user } : {};
}

/** The result of the form that opens a shift, if another device opened the shift before. */
const ALREADY_OPEN = 'shiftAlreadyOpen';

export const shifts: Screen = {
  path: SHIFTS,
  needs: 'openShift',
  menu: { group: 'charge', text: 'shifts.title', icon: 'drawer' },
  live: ['payment', 'reference', 'refund'],
  reads(opened, visitor) {
    const { after } = opened.query;
    return {
      current: CURRENT_SHIFT,
      list: { operation: 'listShifts', query: { ...filtersOf(opened), ...(after && { after }) } },
      merchant: { operation: 'readMerchant' },
      cashiers: visitor.may('grantAccess') ? { operation: 'listCashiers' } : null,
    };
  },
  acts: {
    shiftOpen: {
      operation: 'openShift',
      buildCall: ({ openingCash }) => ({ body: { openingCash: typedAmount(openingCash) } }),
      resultPath: () => SHIFTS,
      nameResult: (status) => (status === 200 ? ALREADY_OPEN : 'shiftOpen'),
    },
  },
  file: { path: `${SHIFTS}.csv`, buildCall: (opened) => ({ operation: 'listShifts', query: filtersOf(opened) }) },
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const { current, list, cashiers } = page.data;
    const others = list.data.filter(({ id }) => id !== current.shift?.id);
    const filters = filtersOf(page.opened);
    const content = (
      <>
        <Head title={t['shifts.title']}>
          <a href={addressOf(`${SHIFTS}.csv`, filters)} download>
            {t['shifts.export']}
          </a>
        </Head>
        {page.done === ALREADY_OPEN && current.shift && <AlreadyOpen page={page} shift={current.shift} />}
        <Card title={t['shifts.own']} live="own">
          {current.shift ? <Own page={page} shift={current.shift} /> : <OpenForm page={page} />}
        </Card>
        {cashiers && <PersonFilter page={page} cashiers={cashiers} />}
        {others.length === 0 ? (
          <Empty text={t['shifts.none']} />
        ) : (
          <List
            page={page}
            newest={addressOf(SHIFTS, filters)}
            more={list.next && addressOf(SHIFTS, { ...filters, after: list.next })}
          >
            {others.map((shift) => (
              <ShiftLine key={shift.id} page={page} shift={shift} />
            ))}
          </List>
        )}
      </>
    );
    return { title: t['shifts.title'], content };
  },
};

/** The form opened no shift, so the opening cash that the person typed does not count. */
function AlreadyOpen({ page, shift: { openedAt, cash, currency } }: Part & { shift: Shift }) {
  const t = textsOf(page);
  return (
    <div class="notice warning" role="status">
      <Icon name="clock" />
      <p>
        {fill(t['shifts.already'], { when: whenOf(openedAt) })}{' '}
        {cash && fill(t['shifts.already.cash'], { amount: money(cash.opening, currency) })}
      </p>
    </div>
  );
}

function Own({ page, shift }: Part & { shift: Shift }) {
  const t = textsOf(page);
  const { openedAt, totals, currency, cash } = shift;
  return (
    <>
      <p>{fill(t['shifts.since'], { when: whenOf(openedAt) })}</p>
      <Rows
        rows={[
          [t['shifts.taken'], <Money key="taken" amount={totals.taken} currency={currency} />],
          [t['shifts.refunded'], totals.refunded > 0 && money(-totals.refunded, currency)],
          [t['shifts.opening'], cash && money(cash.opening, currency)],
        ]}
      />
      <a class="button" href={shiftAddressOf(shift)}>
        {t['shifts.see']}
      </a>
    </>
  );
}

function OpenForm({ page }: Part) {
  const t = textsOf(page);
  return (
    <ActForm page={page} name="shiftOpen" button={t['shifts.open']}>
      <p class="quiet">{t['shifts.open.about']}</p>
      {page.data.merchant.takesCash && (
        <Field
          page={page}
          act="shiftOpen"
          name="openingCash"
          label={t['shifts.opening']}
          hint={t['shifts.opening.hint']}
          inputmode="decimal"
          maxLength={14}
          prefix="Kz"
        />
      )}
    </ActForm>
  );
}

function PersonFilter({ page, cashiers }: Part & { cashiers: Cashiers }) {
  const t = textsOf(page);
  const { user = '' } = filtersOf(page.opened);
  if (cashiers.data.length === 0) return null;
  return (
    <form class="person-filter">
      <label for="user">{t['shifts.person']}</label>
      <div class="input">
        <select id="user" name="user">
          <option value="">{t['shifts.everyone']}</option>
          {cashiers.data.map(({ id, name }) => (
            <option key={id} value={id} selected={id === user}>
              {name}
            </option>
          ))}
        </select>
      </div>
      <button class="plain">{t['shifts.show']}</button>
    </form>
  );
}

/** One shift: the day and its hours, the net sum, and a cash difference in words. */
function ShiftLine({ page, shift }: Part & { shift: Shift }) {
  const t = textsOf(page);
  const { id, cashier, openedAt, closedAt, status, totals, currency, cash } = shift;
  const end = closedAt && ` – ${showTimeOn(dayOf(new Date(openedAt)), new Date(closedAt))}`;
  const isDifferent = !!cash?.difference;
  return (
    <Line
      id={id}
      href={shiftAddressOf(shift)}
      title={cashier.name}
      about={whenOf(openedAt) + (end ?? '')}
      end={
        <>
          <Money amount={totals.net} currency={currency} />
          {isDifferent ? (
            <Badge icon="stop" tone="warning" text={saidDifference(page, cash.difference ?? 0, currency)} />
          ) : (
            <Badge
              icon={status === 'open' ? 'clock' : 'check'}
              tone={status === 'open' ? 'brand' : 'quiet'}
              text={t[`shifts.state.${status}`]}
            />
          )}
        </>
      }
    />
  );
}

/** The difference of the counted cash in words. */
function saidDifference(page: Part['page'], difference: number, currency: string): string {
  const t = textsOf(page);
  return fill(t[difference < 0 ? 'shifts.cash.short' : 'shifts.cash.over'], {
    amount: money(Math.abs(difference), currency),
  });
}
