// The situations that `balcao trigger` can produce. The last step of each waits for the event of its name.
import { hear, type Step } from './trigger-context.ts';
import {
  answerAs,
  cancel,
  cancelReference,
  capture,
  makeCode,
  makeReference,
  moveTerminal,
  openPage,
  payAtAtm,
  payOnPage,
  push,
  reserve,
  scan,
  undoAll,
} from './trigger-steps.ts';

export type Trigger = { about: string; steps: Step[] };

/** An end in the near future that is still ahead when the request arrives. */
const SOON_S = 5;
const PAID = hear('payment.paid');
const FAILED = hear('payment.failed');

export const TRIGGERS: Record<string, Trigger> = {
  'payment.created': { about: 'a hosted page, for you to pay', steps: [openPage, hear('payment.created')] },
  'payment.paid': { about: 'a phone approves', steps: [push('900000000'), PAID] },
  'payment.paid.page': { about: 'a hosted page is paid', steps: [openPage, payOnPage('900000000'), PAID] },
  'payment.paid.slow': { about: 'a phone approves after 10 s', steps: [push('900000005'), PAID] },
  'payment.paid.repeated': { about: 'the rail tells of it three times', steps: [push('900000006'), PAID] },
  'payment.paid.unheard': { about: 'the rail’s word is lost: the gateway asks', steps: [push('900000007'), PAID] },
  'payment.failed': { about: 'the customer refuses', steps: [push('900000001'), FAILED] },
  'payment.failed.funds': { about: 'insufficient funds', steps: [push('900000002'), FAILED] },
  'payment.failed.inactive': {
    about: 'a number that is not in Multicaixa Express',
    steps: [push('900000008'), FAILED],
  },
  'payment.failed.timeout': {
    about: 'nobody answers the phone; takes 90 s',
    steps: [push('900000003'), hear('payment.failed', { withinS: 150 })],
  },
  'payment.failed.rail': {
    about: 'the rail is away; takes up to a minute',
    steps: [push('900000004'), hear('payment.failed', { withinS: 150 })],
  },
  'payment.attempt_failed': {
    about: 'a hosted page whose payer is refused, and may try again',
    steps: [openPage, payOnPage('900000001'), hear('payment.attempt_failed')],
  },
  'payment.authorized': { about: 'money is reserved', steps: [reserve('900000000'), hear('payment.authorized')] },
  'payment.captured': {
    about: 'reserved money is taken',
    steps: [reserve('900000000'), hear('payment.authorized'), capture, hear('payment.captured')],
  },
  'payment.canceled': {
    about: 'reserved money is given back',
    steps: [reserve('900000000'), hear('payment.authorized'), cancel, hear('payment.canceled')],
  },
  'payment.expired': {
    about: `a QR code that nobody pays; takes ${SOON_S} s`,
    steps: [makeCode({ lastsS: SOON_S }), hear('payment.expired', { withinS: 60 })],
  },
  'qrcode.paid': { about: 'a QR code is paid', steps: [makeCode(), scan, PAID] },
  'qrcode.paid_twice': {
    about: 'a QR code for two is paid by both',
    steps: [makeCode({ maxTransactions: 2 }), scan, hear('payment.transaction_accepted'), scan, PAID],
  },
  'reference.registered': { about: 'a payment reference, for you to pay', steps: [makeReference()] },
  'reference.paid': { about: 'it is paid at an ATM', steps: [makeReference(), payAtAtm(), hear('reference.paid')] },
  'reference.charged': {
    about: 'an open reference (Charging) is paid two times',
    steps: [makeReference({ isOpen: true }), payAtAtm(), PAID, payAtAtm(), hear('payment.transaction_accepted')],
  },
  'reference.overpaid': {
    about: 'one is paid twice',
    steps: [makeReference(), payAtAtm({ fault: 'twice' }), hear('payment.overpaid')],
  },
  'reference.amount_mismatch': {
    about: 'one is paid too little: 0.01',
    steps: [makeReference(), payAtAtm({ fault: 'wrong_amount', amount: '0.01' }), hear('payment.amount_mismatch')],
  },
  'reference.late': {
    about: 'one is paid after it was canceled',
    steps: [makeReference(), cancelReference, hear('reference.canceled'), payAtAtm({ fault: 'late' }), PAID],
  },
  'reference.unheard': {
    about: 'the rail’s word is lost: its list is read; takes up to a minute',
    steps: [makeReference(), payAtAtm({ fault: 'lost' }), hear('reference.paid', { withinS: 120 })],
  },
  'reference.canceled': {
    about: 'the merchant withdraws it',
    steps: [makeReference(), cancelReference, hear('reference.canceled')],
  },
  'reference.expired': {
    about: `nobody pays it; takes ${SOON_S} s`,
    steps: [makeReference({ lastsS: SOON_S }), hear('reference.expired', { withinS: 60 })],
  },
  'callback.delivered': {
    about: 'the demo shop takes its callback',
    steps: [makeReference(), payAtAtm(), hear('callback.delivered')],
  },
  'callback.failed': {
    about: 'the demo shop answers 500 once, and takes the next attempt',
    steps: [
      answerAs('error'),
      makeReference(),
      payAtAtm(),
      hear('callback.failed'),
      undoAll,
      hear('callback.delivered', { withinS: 60 }),
    ],
  },
  'callback.abandoned': {
    about: 'the demo shop answers 410, so the callback can be replayed',
    steps: [answerAs('gone'), makeReference(), payAtAtm(), hear('callback.abandoned')],
  },
  'terminal.open': {
    about: 'the terminal is closed, and opened again',
    steps: [moveTerminal('close'), hear('terminal.closed'), moveTerminal('open'), hear('terminal.open')],
  },
};
