// Pays a reference in the sandbox: compares the typed amount with the fixed amount, and returns the rail's answer.
import { exponentOf, minimumMinor, toDecimal, toMinor } from '../shared/money.ts';
import type { BillView, SlipView } from '../shared/sandbox.ts';
import type { Fault } from '../server/http/problem.ts';
import type { CashOrder, CashRefusal, RailCash } from './cash.ts';

/** The reason why no money moved. `amount`: the typed amount is invalid. `faults`: the faults of that amount. */
export type UnpaidReason = { why: CashRefusal | 'amount'; faults: Fault[] };

/** Finds a reference and pays it. @throws RemoteError if the rail fails */
export async function payReference(cash: RailCash, order: CashOrder): Promise<SlipView[] | UnpaidReason> {
  const bill = await cash.readBill(order.entity, order.reference);
  if (!bill) return { why: 'unknown', faults: [] };
  // Only a cash machine with the fault `late` pays an ended reference.
  if (bill.state !== 'open' && order.fault !== 'late') return { why: bill.state, faults: [] };
  const checked = checkAmount(order, bill);
  if ('fault' in checked) return { why: 'amount', faults: [checked.fault] };
  const paid = await cash.payBill({ ...order, amount: checked.amount });
  if (typeof paid !== 'string') return paid;
  return { why: paid, faults: paid === 'other_amount' ? [{ ...AMOUNT, params: { values: bill.amount } }] : [] };
}

const AMOUNT = { pointer: '/amount', code: 'invalid_value' } as const;

/** The amount for the rail (null: the fixed amount), or the faults of the typed amount. */
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
