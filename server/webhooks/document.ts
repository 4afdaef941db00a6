// What merchants' servers are called with, for the interface document: the two callbacks field by field, and an event webhook of each type.
import { z } from 'zod';
import type { ZodOpenApiPathItemObject } from 'zod-openapi';
import { toldEvent } from '../events/view.ts';
import { EVENT_TYPES } from './schemas.ts';

const word = z.string().nullable();
const moment = z.iso.datetime();
const documentNumber = word.describe('The payer’s, as it was given or asked: mostly the tax number (NIF)');

/** Of money that was paid to a reference (decisions §13). */
export const pprCallback = z
  .object({
    idTransacao: z.string().describe('The rail’s id of it'),
    numLogSistema: word.describe('The rail’s number of it'),
    idLogSistema: word.describe('The clearing period that it belongs to'),
    dataTransaccaoCliente: moment.describe('When the payer paid'),
    montantePago: z.number().describe('What was paid, in major units: compare it with what you asked'),
    tipoTerminal: word.describe('Where: `ATM`, `POS`, `IB` (internet banking), `MB` (the app)'),
    iIdentTerminal: word,
    localidadeTerminal: word,
    refPagamento: z.string().describe('The reference, with its zeros'),
    Id: z.string().describe('Of this money, for ever: `transactions[].id` of the payment'),
    nib: word.describe('The payer’s account, where the rail tells it'),
    banco: word.describe('The payer’s bank, where the rail tells it'),
    paymentMethod: z.literal('reference'),
    documentNumber,
  })
  .meta({ id: 'ReferenceCallback' });

/** Of a scan of a QR code (decisions §13). */
export const qrCallback = z
  .object({
    creationDate: moment.describe('When it was scanned'),
    updatedDate: moment.describe('When it was accepted'),
    id: z.string().describe('The rail’s id of this money, for ever'),
    amount: z.number().describe('What was paid, in major units'),
    clearingPeriod: word,
    transactionNumber: word,
    status: z.literal('ACCEPTED').describe('Refused scans send nothing'),
    transactionType: word,
    orderOrigin: word,
    currency: z.string(),
    merchantReferenceNumber: z.string().describe('The `reference` that you gave the payment'),
    paymentMethod: z.literal('qrcode'),
    documentNumber,
  })
  .meta({ id: 'QrCallback' });

/** What a merchant's server answers a callback with; anything else is repeated. */
const confirmation = z
  .object({
    Success: z.boolean().describe('Dealt with, now or before'),
    Obs: z.string().nullish(),
    Id: z.union([z.string(), z.number()]).nullish().describe('Your own number of it'),
  })
  .meta({ id: 'CallbackConfirmation' });

const common = {
  'Balcao-Delivery': z.string().describe('The same at every attempt'),
  'Balcao-Attempt': z.string().describe('From 1'),
  'Balcao-Test': z.literal('true').optional().describe('Of a test: no money moved'),
};

const callbackHeaders = z.object({
  ...common,
  'Access-Key': z.string().describe('The key that you chose: compare it in constant time'),
});

const webhookHeaders = z.object({
  ...common,
  'webhook-id': z.string().describe('The event’s: the same at every attempt'),
  'webhook-timestamp': z.string().describe('Of this attempt, in seconds since 1970'),
  'webhook-signature': z
    .string()
    .describe(
      'Standard Webhooks: for each of your secrets `v1,` and the base64 of HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}`',
    ),
});

const REPEATED = 'Anything else is repeated for 72 hours; 410 ends it at once.';

function describeCallback(operationId: string, summary: string, schema: z.ZodType): ZodOpenApiPathItemObject {
  return {
    post: {
      operationId,
      tags: ['Callbacks'],
      summary,
      description: `To the address of \`PUT /api/merchants/{merchantId}/callback\`. ${REPEATED}`,
      security: [],
      requestParams: { header: callbackHeaders },
      requestBody: { required: true, content: { 'application/json': { schema } } },
      responses: {
        200: {
          description: 'It was dealt with',
          content: {
            'application/json': { schema: confirmation, example: { Success: true, Obs: 'order 4711', Id: 4711 } },
          },
        },
      },
    },
  };
}

/** Every call that a merchant's server may get, by name. */
export function describeWebhooks(): Record<string, ZodOpenApiPathItemObject> {
  const events = EVENT_TYPES.map((type) => {
    const schema = toldEvent.extend({ type: z.literal(type) });
    const post: ZodOpenApiPathItemObject['post'] = {
      operationId: `hear${type
        .split(/[._]/)
        .map((word) => word[0]!.toUpperCase() + word.slice(1))
        .join('')}`,
      tags: ['Webhooks'],
      summary: `The event ${type}`,
      description: `To each webhook that chose it (\`POST /api/webhooks\`). 2xx within 10 s confirms it. ${REPEATED}`,
      security: [],
      requestParams: { header: webhookHeaders },
      requestBody: { required: true, content: { 'application/json': { schema } } },
      responses: { '2XX': { description: 'It was heard' } },
    };
    return [type, { post }] as const;
  });
  return {
    'callback.ppr': describeCallback('hearReferenceCallback', 'A payment reference was paid', pprCallback),
    'callback.qrcode': describeCallback('hearQrCodeCallback', 'A QR code was paid', qrCallback),
    ...Object.fromEntries(events),
  };
}
