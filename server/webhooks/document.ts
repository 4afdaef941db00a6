// The OpenAPI description of calls to merchants' servers: the two callbacks, and a webhook for each event type.
import { z } from 'zod';
import type { ZodOpenApiPathItemObject } from 'zod-openapi';
import { EVENT_SUBJECTS, type EventSubject } from '../../shared/event-subjects.ts';
import { EVENT_DATA, eventSchema } from '../events/view.ts';
import { EVENT_TYPES } from './schemas.ts';

const optionalText = z.string().nullable();
const moment = z.iso.datetime();
const documentNumber = optionalText.describe(
  'The payer’s document number, mostly the tax number (NIF), from the payment request or from the payer',
);

/** The body of a callback for money paid to a payment reference. The rails' field names are part of the contract. */
export const pprCallback = z
  .object({
    idTransacao: z.string().describe('The rail’s id of the transaction'),
    numLogSistema: optionalText.describe('The rail’s number of the transaction'),
    idLogSistema: optionalText.describe('The clearing period of the transaction'),
    dataTransaccaoCliente: moment.describe('When the payer paid'),
    montantePago: z.number().describe('The paid amount in major units. Compare it with the amount that you requested'),
    tipoTerminal: optionalText.describe('The channel: `ATM`, `POS`, `IB` (internet banking), `MB` (the app)'),
    iIdentTerminal: optionalText,
    localidadeTerminal: optionalText,
    refPagamento: z.string().describe('The reference, with leading zeros'),
    Id: z.string().describe('The permanent id of the transaction: `transactions[].id` of the payment'),
    nib: optionalText.describe('The payer’s account, if the rail reports it'),
    banco: optionalText.describe('The payer’s bank, if the rail reports it'),
    paymentMethod: z.literal('reference'),
    documentNumber,
  })
  .meta({ id: 'ReferenceCallback' });

/** The body of a callback for an accepted scan of a QR code. */
export const qrCallback = z
  .object({
    creationDate: moment.describe('When the payer scanned the code'),
    updatedDate: moment.describe('When the rail accepted the scan'),
    id: z.string().describe('The rail’s permanent id of the transaction'),
    amount: z.number().describe('The paid amount in major units'),
    clearingPeriod: optionalText,
    transactionNumber: optionalText,
    status: z.literal('ACCEPTED').describe('No callback is sent for a refused scan'),
    transactionType: optionalText,
    orderOrigin: optionalText,
    currency: z.string(),
    merchantReferenceNumber: z.string().describe('The payment’s `reference`, from your request'),
    paymentMethod: z.literal('qrcode'),
    documentNumber,
  })
  .meta({ id: 'QrCallback' });

/** The response of a merchant's server that confirms a callback. After any other response, the callback is repeated. */
const confirmation = z
  .object({
    Success: z.boolean().describe('true: your server has processed this callback, now or earlier'),
    Obs: z.string().nullish(),
    Id: z.union([z.string(), z.number()]).nullish().describe('Your own number of the transaction'),
  })
  .meta({ id: 'CallbackConfirmation' });

const common = {
  'Balcao-Delivery': z.string().describe('The same at every attempt'),
  'Balcao-Attempt': z.string().describe('The number of the attempt, from 1'),
  'Balcao-Test': z.literal('true').optional().describe('Present in a test, for which no money moved'),
  'User-Agent': z.string().describe('`Balcao/` and the version of the gateway'),
  'Accept-Encoding': z.string().describe('`identity`: an answer without compression'),
  traceparent: z.string().optional().describe('The trace of the attempt (W3C), if the operator records traces'),
};

const callbackHeaders = z.object({
  ...common,
  'Access-Key': z.string().describe('The key that you set for the endpoint. Compare it in constant time'),
});

const webhookHeaders = z.object({
  ...common,
  'webhook-id': z.string().describe('The event’s id, the same at every attempt'),
  'webhook-timestamp': z.string().describe('The time of this attempt, in seconds since 1970'),
  'webhook-signature': z
    .string()
    .describe(
      'By Standard Webhooks, a signature for each of your secrets: ' +
        '`v1,` and the base64 of HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}`',
    ),
});

const RETRY_RULE =
  'After any other answer, the call is repeated for up to 72 hours. Status 410 ends the repeats at once.';

function describeCallback(operationId: string, summary: string, schema: z.ZodType): ZodOpenApiPathItemObject {
  return {
    post: {
      operationId,
      tags: ['Callbacks'],
      summary,
      description:
        'Balcão calls the address that you set with `PUT /api/merchants/{merchantId}/callback`. ' + RETRY_RULE,
      security: [],
      requestParams: { header: callbackHeaders },
      requestBody: { required: true, content: { 'application/json': { schema } } },
      responses: {
        200: {
          description: 'Your server has processed the callback',
          content: {
            'application/json': { schema: confirmation, example: { Success: true, Obs: 'order 4711', Id: 4711 } },
          },
        },
      },
    },
  };
}

/** The event of a test (`POST /api/webhooks/{webhookId}/test`). A webhook cannot choose it. */
const TEST_TYPE = 'webhook.test';

/** Subjects whose events always or sometimes concern a payment. Events of other subjects never do. */
const DATA_OF: Partial<Record<EventSubject, keyof typeof EVENT_DATA>> = {
  payment: 'always',
  refund: 'always',
  reference: 'sometimes',
  callback: 'sometimes',
};

/** The schema names of subjects whose own name has another meaning. */
const NAME_OF: Partial<Record<EventSubject, string>> = { webhook: 'WebhookEndpointEvent' };

/** The event types of a subject. */
const typesOf = (subject: EventSubject) =>
  [...EVENT_TYPES, TEST_TYPE].filter((type) => type.startsWith(`${subject}.`)) as [string, ...string[]];

/** Returns the schema of all events of a subject. Its `type` names the event types, its `data` is of one kind. */
function describeSubject(subject: EventSubject, name: string): z.ZodType {
  const data = DATA_OF[subject] ?? 'never';
  return eventSchema
    .extend({
      type: z.enum(typesOf(subject)),
      ...(data === 'always' && { paymentId: z.uuid() }),
      ...(data === 'never' && { paymentId: z.null() }),
      data: EVENT_DATA[data],
    })
    .meta({ id: name });
}

/** Describes the calls that a merchant's server may receive: both callbacks, and the events of each subject. */
export function describeWebhooks(): Record<string, ZodOpenApiPathItemObject> {
  const events = EVENT_SUBJECTS.map((subject) => {
    const name = NAME_OF[subject] ?? `${subject[0]!.toUpperCase()}${subject.slice(1)}Event`;
    const schema = describeSubject(subject, name);
    const post: ZodOpenApiPathItemObject['post'] = {
      operationId: `hear${name}`,
      tags: ['Webhooks'],
      summary: `The events of the subject ${subject}`,
      description:
        'Balcão calls each webhook that chose the event’s type (`POST /api/webhooks`). ' +
        `Confirm with 2xx within 10 s. ${RETRY_RULE}`,
      security: [],
      requestParams: { header: webhookHeaders },
      requestBody: { required: true, content: { 'application/json': { schema } } },
      responses: { '2XX': { description: 'Your server has received the event' } },
    };
    return [`${subject}.*`, { post }] as const;
  });
  return {
    'callback.ppr': describeCallback('hearReferenceCallback', 'A payment reference was paid', pprCallback),
    'callback.qrcode': describeCallback('hearQrCodeCallback', 'A QR code was paid', qrCallback),
    ...Object.fromEntries(events),
  };
}
