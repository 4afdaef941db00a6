// The ways to pay at the counter, the most used first, and their names in the API.
export const METHODS = ['push', 'qrcode', 'reference'] as const;
export type Method = (typeof METHODS)[number];

export const API_METHODS: Record<Method, string> = {
  push: 'onetimepurchase',
  qrcode: 'qrcode',
  reference: 'reference',
};
