// Several API operations can create a reference. This table writes the same fields in the format of each.
export type Fields = Record<string, unknown>;

type Way = { operationId: string; path: string; body(fields: Fields): unknown; at(pointer: string): string };

const flat = { body: (fields: Fields) => fields, at: (pointer: string) => pointer };

export const WAYS: Record<string, Way> = {
  createReference: { operationId: 'createReference', path: '/api/references/ppr', ...flat },
  createLegacyReference: { operationId: 'createLegacyReference', path: '/api/references/ppr/legacy', ...flat },
  'the second item of createReferences': {
    operationId: 'createReferences',
    path: '/api/references/ppr/bulk',
    body: (fields) => ({ references: [{ amount: 1 }, fields, { amount: 1 }] }),
    at: (pointer) => `/references/1${pointer}`,
  },
  'createPayment with PPR': {
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
