// The problems about SMS: a part of the table in errors.ts.
import type { ProblemEntry } from './people-errors.ts';

/** By `code`, as in errors.ts. */
export const SMS_PROBLEMS = {
  insufficient_sms_balance: {
    status: 409,
    title: 'Not enough SMS units',
    detail: 'The sending needs more units than are left; nothing was sent. Ask the operator for more.',
  },
  sms_unavailable: {
    status: 409,
    title: 'SMS unavailable',
    detail: 'This gateway is connected to no SMS rail. Nothing was sent.',
  },
  schedule_not_cancelable: {
    status: 409,
    title: 'Schedule not cancelable',
    detail: 'Its minute has come: the messages are on their way.',
  },
  opt_out_theirs: {
    status: 409,
    title: 'Refused by the person',
    detail: 'Whoever has this number refused your SMS themselves: only they take it back, by INICIAR or on their page.',
  },
  sms_list_full: {
    status: 409,
    title: 'List full',
    detail: 'A list has at most 1000 contacts, as many as one sending takes. Make another list.',
  },
} satisfies Record<string, ProblemEntry>;
