// The ways in which a payment reference is created.
/** The fields of a reference, as a merchant sends them to `/api/references/ppr`. */
export type Fields = Record<string, unknown>;

type Way = { operationId: string; path: string; body(fields: Fields): unknown; at(pointer: string): string };

/** The same fields as each way wants them, and where it finds them. */
export const WAYS: Record<string, Way> = {
  'one reference': {
    operationId: 'createReference',
    path: '/api/references/ppr',
    body: (fields) => fields,
    at: (pointer) => pointer,
  },
  'a legacy one': {
    operationId: 'createLegacyReference',
    path: '/api/references/ppr/legacy',
    body: (fields) => fields,
    at: (pointer) => pointer,
  },
  'the second of three': {
    operationId: 'createReferences',
    path: '/api/references/ppr/bulk',
    body: (fields) => ({ references: [{ amount: 1 }, fields, { amount: 1 }] }),
    at: (pointer) => `/references/1${pointer}`,
  },
  'a payment': {
    operationId: 'createPayment',
    path: '/api/payments',
    body: ({ amount, reference, customMetadata: custom, ...metadata }) => ({
      amount,
      currency: 'AOA',
      paymentType: 'PPR',
      reference,
      metadata: { ...metadata, custom },
    }),
    at: (pointer) =>
      /^\/(amount|reference)$/.test(pointer) ? pointer : `/metadata${pointer.replace('customMetadata', 'custom')}`,
  },
};
