// A payment as ProxyPay writes it: one flat object, with integers that have lost the zeros they began with.
import { dayOf } from '../../shared/luanda.ts';

export type ProxypayPayment = {
  /** The clearing period, then eight digits of the transaction within it. */
  id: number;
  amount: string;
  fee: string | null;
  reference_id: number;
  entity_id: number;
  datetime: string;
  period_id: number;
  period_start_datetime: string;
  period_end_datetime: string;
  transaction_id: number;
  terminal_type: string;
  terminal_id: string | null;
  terminal_location: string | null;
  terminal_period_id: number | null;
  terminal_transaction_id: number | null;
  product_id: number | null;
  parameter_id: number | null;
  custom_fields: Record<string, string>;
};

export type NewProxypayPayment = {
  entity: string;
  digits: string;
  amount: string;
  customFields: Record<string, string>;
  at: Date;
  /** Which of all payments it is. */
  number: number;
  hasZone: boolean;
};

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Clearing periods are of 24 hours and end at 19:00 UTC; the first one counted began then. */
const FIRST_PERIOD = Date.parse('2019-12-31T19:00:00Z');

export function writePayment(paid: NewProxypayPayment): ProxypayPayment {
  const { entity, digits, amount, customFields, at, number, hasZone } = paid;
  const period = Math.floor((at.getTime() - FIRST_PERIOD) / DAY_MS);
  const start = FIRST_PERIOD + period * DAY_MS;
  return {
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

/** By the clock on Luanda's wall. */
function writeLuandaTime(at: Date): string {
  return dayOf(at) + new Date(at.getTime() + HOUR_MS).toISOString().slice(10, 23);
}
