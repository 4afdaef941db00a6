// Client of the simulated rail's QR codes: reads and pays a code like a payer's app.
import { z } from 'zod';
import { showMoney, toMinor } from '../shared/money.ts';
import type { CodeState, CodeView, ScanView } from '../shared/sandbox.ts';
import { callRail, nameMerchant, type RailOptions } from './rail.ts';
import { readAnswer, RemoteError, type RemoteAnswer } from './remote.ts';

/** The reason why the rail refused the scan of a QR code. */
export type ScanRefusal = 'unknown' | Exclude<CodeState, 'open'>;

export type RailCodes = {
  /** Reads a QR code's amount and state. Null if the rail does not know the code. */
  readCode(content: string): Promise<CodeView | null>;
  /** Pays a QR code from a phone number (E.164). */
  payCode(content: string, phone: string): Promise<ScanView | ScanRefusal>;
  /** Finds an earlier scan of a QR code. Null if that scan does not exist. */
  findScan(id: string): Promise<ScanView | null>;
};

const codeSchema = z.object({
  merchantId: z.string().nullish(),
  merchantName: z.string().nullish(),
  reference: z.string(),
  description: z.string().nullish(),
  amount: z.string(),
  currency: z.string(),
  status: z.string(),
  accepted: z.number(),
  maxTransactions: z.number(),
  endDate: z.string(),
});

const scanSchema = z.object({
  id: z.string(),
  status: z.enum(['ACCEPTED', 'REFUSED', 'PENDING']),
  reason: z.string().nullish(),
  transactionNumber: z.string().nullish(),
  amount: z.string(),
  currency: z.string(),
  phone: z.string(),
});

const refusalSchema = z.object({ code: z.string() });

/** The states of a QR code that accepts no more payments, by the names of the rail. */
const CLOSED: Record<string, Exclude<CodeState, 'open'>> = {
  USED_UP: 'used_up',
  ENDED: 'ended',
  WITHDRAWN: 'withdrawn',
};

export function connectCodes(options: RailOptions): RailCodes {
  const post = (path: string, body: object) => callRail(options, 'POST', path, body);
  return {
    async readCode(content) {
      const answer = await post('/codes/read', { content });
      return isRefused(answer) ? null : viewCode(options, readAnswer(answer, codeSchema));
    },
    async payCode(content, phone) {
      const answer = await post('/scans', { content, phone });
      return isRefused(answer) ? refusalOf(answer) : viewScan(readAnswer(answer, scanSchema));
    },
    async findScan(id) {
      const answer = await callRail(options, 'GET', `/scans/${encodeURIComponent(id)}`);
      return isRefused(answer) ? null : viewScan(readAnswer(answer, scanSchema));
    },
  };
}

/** True if the rail refused the scan. Any other error status is a failure of the rail. */
function isRefused({ status }: RemoteAnswer): boolean {
  return status === 400 || status === 404 || status === 409;
}

function refusalOf({ status, body }: RemoteAnswer): ScanRefusal {
  if (status !== 409) return 'unknown';
  const refusal = CLOSED[refusalSchema.safeParse(body).data?.code ?? ''];
  if (!refusal) throw new RemoteError('refused a scan with an unknown code');
  return refusal;
}

async function viewCode(options: RailOptions, code: z.output<typeof codeSchema>): Promise<CodeView> {
  return {
    state: CLOSED[code.status] ?? 'open',
    merchant: await nameMerchant(options, code),
    reference: code.reference,
    description: code.description ?? null,
    amountText: showAmount(code),
    accepted: code.accepted,
    max: code.maxTransactions,
    endsAt: code.endDate,
  };
}

function viewScan(scan: z.output<typeof scanSchema>): ScanView {
  return {
    id: scan.id,
    state: ({ ACCEPTED: 'accepted', REFUSED: 'refused', PENDING: 'pending' } as const)[scan.status],
    reason: scan.reason?.toLowerCase() ?? null,
    transaction: scan.transactionNumber ?? null,
    amountText: showAmount(scan),
    phone: scan.phone,
  };
}

function showAmount({ amount, currency }: { amount: string; currency: string }): string {
  const read = toMinor(amount, currency);
  return 'minor' in read ? showMoney(read.minor, currency) : `${amount} ${currency}`;
}
