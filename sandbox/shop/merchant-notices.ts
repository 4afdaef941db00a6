// Parses a call to the demo shop: the kind of callback or event, and the id by which the shop finds repeats.
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { showMoney, toReceivedMinor } from '../../shared/money.ts';
import type { ArrivalView } from '../../shared/sandbox.ts';
import { numberText, parseExactJson } from '../../server/http/json.ts';

export type Notice = Pick<ArrivalView, 'kind' | 'amountText' | 'about'> & {
  /** The id by which the shop finds repeats of a call. Null if the call has no id. */
  id: string | null;
};

const amount = z.unknown().transform((value) => numberText(value) ?? (typeof value === 'string' ? value : null));

/** Schemas of the callbacks in the documented interface. */
const pprSchema = z.object({ refPagamento: z.string(), montantePago: amount, Id: z.string().min(1) });
const codeSchema = z.object({
  merchantReferenceNumber: z.string(),
  amount,
  currency: z.string().catch('AOA'),
  id: z.string().min(1),
});

/** Schema of an event in the format of Standard Webhooks. */
const eventSchema = z.object({
  type: z.string(),
  data: z.object({ amount, currency: z.string() }).nullish().catch(null),
});

/** Parses a call to the demo shop, from its headers and the text of its body. */
export function readNotice(headers: IncomingHttpHeaders, text: string): Notice {
  const body = parseBody(text);
  const isTest = headers['balcao-test'] !== undefined;
  const event = headers['webhook-id'];
  if (typeof event === 'string') {
    const read = eventSchema.safeParse(body).data;
    const amountText = read?.data ? showAmount(read.data.amount, read.data.currency) : null;
    return { kind: isTest ? 'test' : 'webhook', id: event, about: read?.type ?? null, amountText };
  }
  const callback = readCallback(body);
  return isTest ? { ...callback, kind: 'test' } : callback;
}

function readCallback(body: unknown): Notice {
  const ppr = pprSchema.safeParse(body).data;
  if (ppr) {
    const amountText = showAmount(ppr.montantePago, 'AOA');
    return { kind: 'ppr', id: ppr.Id, about: ppr.refPagamento, amountText };
  }
  const code = codeSchema.safeParse(body).data;
  if (!code) return { kind: 'unknown', id: null, about: null, amountText: null };
  const amountText = showAmount(code.amount, code.currency);
  return { kind: 'qrcode', id: code.id, about: code.merchantReferenceNumber, amountText };
}

/** Parses JSON with exact digits. Text that is not JSON stays unchanged. */
export function parseBody(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return text;
  }
}

function showAmount(decimal: string | null, currency: string): string | null {
  if (decimal === null || !/^[A-Z]{3}$/.test(currency)) return null;
  const read = toReceivedMinor(decimal, currency);
  return 'minor' in read ? showMoney(read.minor, currency) : `${decimal} ${currency}`;
}
