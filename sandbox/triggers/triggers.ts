// The situations that `balcao trigger` can produce. Each one's last step waits for the event of the trigger's name.
import { waitForEvent, type Step } from './trigger-context.ts';
import {
  setShopMode,
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

/** An expiry in seconds that is short, but still in the future when the request arrives. */
const SOON_S = 5;
const PAID = waitForEvent('payment.paid');
const FAILED = waitForEvent('payment.failed');

export const TRIGGERS: Record<string, Trigger> = {
  'payment.created': { about: 'a hosted page, for you to pay', steps: [openPage, waitForEvent('payment.created')] },
  'payment.paid': { about: 'a phone approves', steps: [push('900000000'), PAID] },
  'payment.paid.page': { about: 'a hosted page is paid', steps: [openPage, payOnPage('900000000'), PAID] },
  'payment.paid.slow': { about: 'a phone approves after 10 s', steps: [push('900000005'), PAID] },
  'payment.paid.repeated': {
    about: 'the rail repeats the notification: it arrives three times',
    steps: [push('900000006'), PAID],
  },
  'payment.paid.unheard': {
    about: 'the rail’s notification is lost, so the gateway polls',
    steps: [push('900000007'), PAID],
  },
  'payment.failed': { about: 'the customer refuses', steps: [push('900000001'), FAILED] },
  'payment.failed.funds': { about: 'insufficient funds', steps: [push('900000002'), FAILED] },
  'payment.failed.inactive': {
    about: 'a number that is not in Multicaixa Express',
    steps: [push('900000008'), FAILED],
  },
  'payment.failed.timeout': {
    about: 'the customer does not answer; takes 90 s',
    steps: [push('900000003'), waitForEvent('payment.failed', { withinS: 150 })],
  },
  'payment.failed.rail': {
    about: 'the rail is unavailable; takes up to a minute',
    steps: [push('900000004'), waitForEvent('payment.failed', { withinS: 150 })],
  },
  'payment.attempt_failed': {
    about: 'a hosted page: the first attempt is refused, another is possible',
    steps: [openPage, payOnPage('900000001'), waitForEvent('payment.attempt_failed')],
  },
  'payment.authorized': {
    about: 'money is reserved',
    steps: [reserve('900000000'), waitForEvent('payment.authorized')],
  },
  'payment.captured': {
    about: 'a reservation is captured',
    steps: [reserve('900000000'), waitForEvent('payment.authorized'), capture, waitForEvent('payment.captured')],
  },
  'payment.canceled': {
    about: 'a reservation is canceled',
    steps: [reserve('900000000'), waitForEvent('payment.authorized'), cancel, waitForEvent('payment.canceled')],
  },
  'payment.expired': {
    about: `a QR code expires unpaid; takes ${SOON_S} s`,
    steps: [makeCode({ lastsS: SOON_S }), waitForEvent('payment.expired', { withinS: 60 })],
  },
  'qrcode.paid': { about: 'a QR code is paid', steps: [makeCode(), scan, PAID] },
  'qrcode.paid_twice': {
    about: 'a QR code for two payments is paid twice',
    steps: [makeCode({ maxTransactions: 2 }), scan, waitForEvent('payment.transaction_accepted'), scan, PAID],
  },
  'reference.registered': { about: 'a payment reference, for you to pay', steps: [makeReference()] },
  'reference.paid': {
    about: 'a reference is paid at an ATM',
    steps: [makeReference(), payAtAtm(), waitForEvent('reference.paid')],
  },
  'reference.charged': {
    about: 'a Charging reference is paid twice',
    steps: [
      makeReference({ isOpen: true }),
      payAtAtm(),
      PAID,
      payAtAtm(),
      waitForEvent('payment.transaction_accepted'),
    ],
  },
  'reference.overpaid': {
    about: 'a reference is paid twice',
    steps: [makeReference(), payAtAtm({ fault: 'twice' }), waitForEvent('payment.overpaid')],
  },
  'reference.amount_mismatch': {
    about: 'a reference is paid with too little: 0.01',
    steps: [
      makeReference(),
      payAtAtm({ fault: 'wrong_amount', amount: '0.01' }),
      waitForEvent('payment.amount_mismatch'),
    ],
  },
  'reference.late': {
    about: 'a reference is paid after it was canceled',
    steps: [makeReference(), cancelReference, waitForEvent('reference.canceled'), payAtAtm({ fault: 'late' }), PAID],
  },
  'reference.unheard': {
    about: 'the rail’s notification is lost, so the gateway reads its list; takes up to a minute',
    steps: [makeReference(), payAtAtm({ fault: 'lost' }), waitForEvent('reference.paid', { withinS: 120 })],
  },
  'reference.canceled': {
    about: 'the merchant withdraws a reference',
    steps: [makeReference(), cancelReference, waitForEvent('reference.canceled')],
  },
  'reference.expired': {
    about: `a reference expires unpaid; takes ${SOON_S} s`,
    steps: [makeReference({ lastsS: SOON_S }), waitForEvent('reference.expired', { withinS: 60 })],
  },
  'callback.delivered': {
    about: 'the demo shop confirms its callback',
    steps: [makeReference(), payAtAtm(), waitForEvent('callback.delivered')],
  },
  'callback.failed': {
    about: 'the demo shop answers 500 once, and confirms the next attempt',
    steps: [
      setShopMode('error'),
      makeReference(),
      payAtAtm(),
      waitForEvent('callback.failed'),
      undoAll,
      waitForEvent('callback.delivered', { withinS: 60 }),
    ],
  },
  'callback.abandoned': {
    about: 'the demo shop answers 410, so the callback can be replayed',
    steps: [setShopMode('gone'), makeReference(), payAtAtm(), waitForEvent('callback.abandoned')],
  },
  'terminal.open': {
    about: 'the terminal is closed, and opened again',
    steps: [
      moveTerminal('close'),
      waitForEvent('terminal.closed'),
      moveTerminal('open'),
      waitForEvent('terminal.open'),
    ],
  },
};
