// Masks stored JSON about an erased payer: rail notifications keep the money, stored answers lose the payer.
import { numberText, parseExactJson } from '../http/json.ts';
import { ERASED } from './forget.ts';
import { MONEY_FIELDS } from './subject.ts';

type Values = Record<string, unknown>;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const MOMENT = /^\d{4}-\d\d-\d\dT[\d:.]{5,15}(Z|[+-]\d\d:?\d\d)?$/;

/** Names of fields that stay unmasked: money, and fields that name the order or its state. */
const KEPT_FIELDS = new Set([...MONEY_FIELDS, 'currency', 'kind', 'number', 'orderId', 'status', 'type']);

/** Masks a rail notification. It keeps money, ids and times, because any other text or number may be personal. */
export function maskMessage(body: string): string {
  return maskJson(body, (parsed) => mapLeaves(parsed, keepMoney));
}

function keepMoney(value: unknown, name: string): unknown {
  if (typeof value === 'string')
    return KEPT_FIELDS.has(name) || UUID.test(value) || MOMENT.test(value) ? value : ERASED;
  return numberText(value) !== null && !KEPT_FIELDS.has(name) ? null : value;
}

/** Fields of our own API answers that have data of a payer, or the merchant's text about one. */
const PAYER_FIELDS = new Set(
  (
    'bank cancelUrl custom customMetadata customer customerEmail customerName customerTelephone description ' +
    'documentNumber email iban name nib nome payerTaxId phone phoneNumber proof reason returnUrl taxId ' +
    'telefone telephone'
  ).split(' '),
);

/** Erases the payer from the parts of a stored API answer that are about one of these payments. */
export function maskAnswer(body: string, paymentIds: ReadonlySet<string>): string {
  return maskJson(body, (parsed) => maskPayers(parsed, paymentIds, false));
}

function maskPayers(value: unknown, ids: ReadonlySet<string>, isAbove: boolean): unknown {
  if (Array.isArray(value)) return value.map((one) => maskPayers(one, ids, isAbove));
  if (!isObject(value)) return value;
  const isTheirs = isAbove || Object.values(value).some((one) => typeof one === 'string' && ids.has(one));
  const maskField = ([name, one]: [string, unknown]) => [
    name,
    isTheirs && PAYER_FIELDS.has(name) ? mapLeaves(one, eraseLeaf) : maskPayers(one, ids, isTheirs),
  ];
  return Object.fromEntries(Object.entries(value).map(maskField));
}

function eraseLeaf(value: unknown): unknown {
  if (typeof value === 'string') return ERASED;
  return numberText(value) === null ? value : null;
}

/** Masks JSON. Text that is no JSON is replaced as a whole, since the payer could be anywhere in it. */
function maskJson(body: string, mask: (parsed: unknown) => unknown): string {
  let parsed: unknown;
  try {
    parsed = parseExactJson(body);
  } catch {
    return ERASED;
  }
  return JSON.stringify(mask(parsed));
}

/** True for objects, except wrappers of a number that is too large for a double. */
const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && numberText(value) === null;

function mapLeaves(value: unknown, map: (leaf: unknown, name: string) => unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => mapLeaves(one, map, name));
  if (!isObject(value)) return map(value, name);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapLeaves(one, map, key)]));
}
