// The kinds of faults, grouped by the request or notification to which they apply.
const REQUEST_FAULTS = ['delay', 'unavailable', 'reset_before', 'reset_after', 'hang', 'garbage'] as const;
const NOTIFICATION_FAULTS = ['delay', 'drop', 'duplicate', 'reorder', 'garbage'] as const;

/** The fault kinds, by target of the fault. */
export const FAULTS = {
  purchase: REQUEST_FAULTS,
  authorization: REQUEST_FAULTS,
  capture: REQUEST_FAULTS,
  void: REQUEST_FAULTS,
  qrcode: REQUEST_FAULTS,
  terminal: REQUEST_FAULTS,
  query: REQUEST_FAULTS,
  refund: REQUEST_FAULTS,
  refund_query: REQUEST_FAULTS,
  refund_notification: NOTIFICATION_FAULTS,
  movements: REQUEST_FAULTS,
  scan: ['unavailable'],
  notification: NOTIFICATION_FAULTS,
  reference_register: REQUEST_FAULTS,
  reference_withdraw: REQUEST_FAULTS,
  reference_query: REQUEST_FAULTS,
  payments_list: REQUEST_FAULTS,
  atm: ['unavailable'],
  reference_notification: NOTIFICATION_FAULTS,
  sms_send: REQUEST_FAULTS,
  sms_query: REQUEST_FAULTS,
  sms_notification: NOTIFICATION_FAULTS,
} as const;

export type FaultTarget = keyof typeof FAULTS;
export type FaultKind = (typeof REQUEST_FAULTS)[number] | (typeof NOTIFICATION_FAULTS)[number];
