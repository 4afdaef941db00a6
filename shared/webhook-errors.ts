// Problems about callback and webhook endpoints: a part of the table in errors.ts.
import type { ProblemEntry } from './people-errors.ts';

/** The problems about callback and webhook endpoints, by their `code`. */
export const WEBHOOK_PROBLEMS = {
  callback_not_configured: {
    status: 409,
    title: 'Callback not configured',
    detail: 'Set the address and access key first: PUT /api/merchants/{merchantId}/callback.',
  },
  endpoint_not_configured: {
    status: 409,
    title: 'No endpoint',
    detail: 'The endpoint of this delivery was removed and not replaced. Nothing was sent.',
  },
  too_many_webhooks: {
    status: 409,
    title: 'Too many webhooks',
    detail: 'A merchant has at most 16 webhooks. Delete one first.',
  },
} satisfies Record<string, ProblemEntry>;
