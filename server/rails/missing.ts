// The rail of an account that this node cannot open: it says of everything that it does not know, which guesses nothing.
import { NOTHING_HEARD } from '../providers/ask.ts';
import type { SmsOutcome, SmsRail } from '../providers/message.ts';
import type { GpoRail, PprRail, QrOutcome, RegistrationOutcome } from '../providers/provider.ts';

const details = { reason: 'rail_not_configured' };
const noCode: QrOutcome = {
  result: 'unknown',
  failureCode: null,
  railOrderId: null,
  content: null,
  deeplink: null,
  endsAt: null,
  scans: [],
  details,
};
const noWord: RegistrationOutcome = { result: 'unknown', details };
const noTerminal = {
  result: 'unknown',
  status: null,
  period: null,
  supervisorRequired: null,
  refusal: null,
  details,
} as const;
const noMessage: SmsOutcome = { result: 'unknown', reason: 'rail_not_configured', occurredAt: null };

export const NO_GPO: GpoRail = {
  send: async () => ({ ...NOTHING_HEARD, details }),
  query: async () => ({ ...NOTHING_HEARD, details }),
  createQrCode: async () => noCode,
  queryQrCode: async () => noCode,
  moveTerminal: async () => noTerminal,
  queryTerminal: async () => noTerminal,
};

export const NO_PPR: PprRail = {
  register: async () => noWord,
  withdraw: async () => noWord,
  query: async () => ({ result: 'unknown', payments: [] }),
  listPayments: async () => ({ result: 'unknown', payments: [], unreadable: [], next: null }),
};

export const NO_SMS: SmsRail = { send: async () => noMessage, query: async () => noMessage };
