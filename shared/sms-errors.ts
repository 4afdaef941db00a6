// Problems about SMS: a part of the table in errors.ts.
import type { ProblemEntry } from './people-errors.ts';

/** The problems about SMS, by their `code`. */
export const SMS_PROBLEMS = {
  insufficient_sms_balance: {
    status: 409,
    title: 'Not enough SMS units',
    detail: 'The sending needs more SMS units than your balance has. Nothing was sent. Ask the operator for more.',
  },
  sms_unavailable: {
    status: 409,
    title: 'SMS unavailable',
    detail: 'This gateway has no SMS rail. Nothing was sent.',
  },
  schedule_not_cancelable: {
    status: 409,
    title: 'Schedule not cancelable',
    detail: 'The scheduled minute has come. The messages are being sent.',
  },
  opt_out_theirs: {
    status: 409,
    title: 'Opted out by the person',
    detail:
      'The person with this number opted out of your SMS. ' +
      'Only that person can opt in again: by an SMS with INICIAR, or on the opt-out page.',
  },
  recipient_opted_out: {
    status: 409,
    title: 'Recipient opted out',
    detail: 'The person with this number opted out of your SMS. Nothing was sent.',
  },
  sms_list_full: {
    status: 409,
    title: 'List full',
    detail: 'A list has at most 1000 contacts, which is the limit of one sending. Create another list.',
  },
} satisfies Record<string, ProblemEntry>;
