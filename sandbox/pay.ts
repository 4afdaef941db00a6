// Paying a reference in the sandbox: the amount as people type it, held against what is asked, and what the rail says.
import { exponentOf, minimumMinor, toDecimal, toMinor } from '../shared/money.ts';
import type { BillView, SlipView } from '../shared/sandbox.ts';
import type { Fault } from '../server/http/problem.ts';
import type { CashOrder, CashRefusal, RailCash } from './cash.ts';

/** No money moved. `amount`: what was typed is none; then, and for another than the asked one, `faults` say more. */
export type Unpaid = { why: CashRefusal | 'amount'; faults: Fault[] };

/** Finds a reference and pays it. @throws RemoteError */
export async function payReference(cash: RailCash, order: CashOrder): Promise<SlipView[] | Unpaid> {
  const bill = await cash.readBill(order.entity, order.reference);
  if (!bill) return { why: 'unknown', faults: [] };
  // Only a machine that errs takes money for what has ended.
  if (bill.state !== 'open' && order.fault !== 'late') return { why: bill.state, faults: [] };
  const checked = checkAmount(order, bill);
  if ('fault' in checked) return { why: 'amount', faults: [checked.fault] };
  const paid = await cash.payBill({ ...order, amount: checked.amount });
  if (typeof paid !== 'string') return paid;
  return { why: paid, faults: paid === 'other_amount' ? [{ ...AMOUNT, params: { values: bill.amount } }] : [] };
}

const AMOUNT = { pointer: '/amount', code: 'invalid_value' } as const;

/** The amount as the rail takes it, null for what is asked; or what is wrong with it. */
function checkAmount(
  order: CashOrder,
  { amount: asked, currency }: BillView,
): Pick<CashOrder, 'amount'> | { fault: Fault } {
  if (order.amount === null) {
    const mayBeLeftOut = asked !== null && order.fault !== 'wrong_amount';
    return mayBeLeftOut ? { amount: null } : { fault: { pointer: '/amount', code: 'required' } };
  }
  const read = toMinor(order.amount, currency);
  const leastMinor = minimumMinor(currency);
  if ('minor' in read && read.minor >= leastMinor) return { amount: toDecimal(read.minor, currency) };
  const code = 'fault' in read ? read.fault : 'amount_out_of_range';
  const params = { currency, digits: exponentOf(currency), minimum: toDecimal(leastMinor, currency) };
  return { fault: { pointer: '/amount', code, params } };
}
