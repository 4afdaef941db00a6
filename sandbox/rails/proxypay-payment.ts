// A payment in ProxyPay's format: a flat object whose integers lose leading zeros.
import { writeLuandaTime } from '../../shared/luanda.ts';
import { DAY_MS } from '../../shared/durations.ts';

export type ProxypayPayment = ReturnType<typeof writePayment>;

type NewProxypayPayment = {
  entity: string;
  digits: string;
  amount: string;
  customFields: Record<string, string>;
  at: Date;
  /** `number`: the sequence number of the payment. */
  number: number;
  hasZone: boolean;
};

/** The start of clearing period 0. A clearing period ends at 19:00 UTC. */
const FIRST_PERIOD = Date.parse('2019-12-31T19:00:00Z');

export function writePayment({ entity, digits, amount, customFields, at, number, hasZone }: NewProxypayPayment) {
  const period = Math.floor((at.getTime() - FIRST_PERIOD) / DAY_MS);
  const start = FIRST_PERIOD + period * DAY_MS;
  return {
    /** The payment's id has the clearing period, then eight digits of the transaction within the period. */
    id: Number(`${period}${String(number).padStart(8, '0')}`),
    amount,
    fee: '50.00',
    reference_id: Number(digits),
    entity_id: Number(entity),
    datetime: writeLuandaTime(at) + (hasZone ? '+01:00' : ''),
    period_id: period,
    period_start_datetime: new Date(start).toISOString(),
    period_end_datetime: new Date(start + DAY_MS).toISOString(),
    transaction_id: number,
    terminal_type: 'ATM',
    terminal_id: '0000054321',
    terminal_location: 'LUANDA',
    terminal_period_id: 7,
    terminal_transaction_id: number,
    product_id: null,
    parameter_id: null,
    custom_fields: customFields,
  };
}
