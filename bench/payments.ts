// Payments for the bench to watch: made and moved through the gateway's own doors, as merchants, payers and rails do.
import { randomUUID } from 'node:crypto';
import { openConnections, writeHttp, type Connections } from './connection.ts';
import { writeNotification, type Decision } from './rail.ts';
import { referenceOf, writeRequest } from './sample.ts';
import type { Stage } from './stage.ts';

export type Payment = { id: string; clientToken: string; reference: string };

/** Above the numbers of the load client, whose references are its own. */
let nth = 1e9;

export async function createPayments({ url, token }: Pick<Stage, 'url' | 'token'>, count: number): Promise<Payment[]> {
  const connections = await openConnections(url, 16);
  const payments = await Promise.all(
    Array.from({ length: count }, async () => {
      const reference = referenceOf(++nth);
      const headers = { Authorization: `Bearer ${token}`, 'Idempotency-Key': randomUUID() };
      const request = writeHttp('POST', new URL('/api/payments', url), headers, writeRequest(nth));
      const { id, clientToken } = JSON.parse((await send(connections, request, 201)).body) as Payment;
      return { id, clientToken, reference };
    }),
  );
  connections.close();
  return payments;
}

/** Moves payments as their payers and the rail do. */
export type Mover = {
  /** The payer gives a phone: Processing. */
  pay(payment: Payment): Promise<void>;
  /** The rail's word of the payment's push: Paid, or Pending again. */
  decide(payment: Payment, decision: Decision): Promise<void>;
  close(): void;
};

export async function openMover({ url, rail }: Stage): Promise<Mover> {
  const connections = await openConnections(url, 16);
  return {
    async pay({ clientToken }) {
      const body = JSON.stringify({ phoneNumber: '923000001' });
      await send(connections, writeHttp('POST', new URL(`/checkout/${clientToken}/pay`, url), {}, body), 202);
    },
    async decide({ reference }, decision) {
      const purchase = await rail.takePurchase(reference);
      await send(connections, writeNotification(url, rail.key, purchase, decision), 200);
    },
    close: connections.close,
  };
}

async function send(connections: Connections, request: string, status: number) {
  const reply = await connections.send(request);
  if (reply.status !== status) throw new Error(`answered ${reply.status}, not ${status}: ${reply.body}`);
  return reply;
}
