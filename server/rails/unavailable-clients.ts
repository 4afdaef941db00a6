// Clients of a rail account that this node cannot open. Every call returns `unknown`, so that no order is misjudged.
import { makeUnknown, makeUnknownQr, makeUnknownTerminal } from '../providers/rail-call.ts';
import type { SmsOutcome, SmsRail } from '../providers/message.ts';
import type { GpoRail, PprRail, RefundRail, RegistrationOutcome } from '../providers/provider.ts';

const reason = 'rail_not_configured';
const noOrder = makeUnknown(reason);
const noCode = makeUnknownQr(reason);
const noTerminal = makeUnknownTerminal(reason);
const noRegistration: RegistrationOutcome = { result: 'unknown', details: { reason } };
const noMessage: SmsOutcome = { result: 'unknown', reason, occurredAt: null };

export const NO_GPO: GpoRail = {
  send: async () => noOrder,
  query: async () => noOrder,
  createQrCode: async () => noCode,
  queryQrCode: async () => noCode,
  moveTerminal: async () => noTerminal,
  queryTerminal: async () => noTerminal,
};

export const NO_REFUNDS: RefundRail = { refund: async () => noOrder, queryRefund: async () => noOrder };

export const NO_PPR: PprRail = {
  register: async () => noRegistration,
  withdraw: async () => noRegistration,
  query: async () => ({ result: 'unknown', payments: [] }),
  listPayments: async () => ({ result: 'unknown', payments: [], unreadable: [], next: null }),
};

export const NO_SMS: SmsRail = { send: async () => noMessage, query: async () => noMessage };
