// QR codes for the bench rows that scan them.
import type { BenchFixture } from '../kit/fixture.ts';
import { nextReference, QRCODE, writeBody } from '../kit/sample.ts';

/** A QR code of the bench. Rail notifications about the code name its attempt. */
export type Code = { paymentId: string; attemptId: string };

export async function createCode(
  { url, database }: Pick<BenchFixture, 'url' | 'database'>,
  token: string,
): Promise<Code> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const body = writeBody(nextReference(), QRCODE);
  const reply = await fetch(`${url}/api/payments`, { method: 'POST', headers, body });
  const paymentId = reply.headers.get('payment-id');
  if (!paymentId) throw new Error(`no code: ${await reply.text()}`);
  const { rows } = await database.query<{ id: string }>('select id from attempts where payment_id = $1', [paymentId]);
  return { paymentId, attemptId: rows[0]?.id ?? '' };
}
