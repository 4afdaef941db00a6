// The subjects of event types. A webhook can choose all events of a subject (`payment.*`).
export const EVENT_SUBJECTS = [
  'payment',
  'refund',
  'reference',
  'link',
  'terminal',
  'callback',
  'webhook',
  'access',
  'client',
  'invoice',
  'sms',
  'settlement',
] as const;
export type EventSubject = (typeof EVENT_SUBJECTS)[number];
