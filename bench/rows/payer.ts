// A payer who pays on the hosted page, and the rail that decides.
import type { BenchFixture } from '../kit/fixture.ts';
import { openConnections, writeHttp } from '../kit/http.ts';
import type { Payment } from '../kit/processes/client.ts';
import { decide, writePurchaseNotice, type Decision } from '../kit/rail.ts';

export type Payer = {
  /** Submits a phone number on the page. The payment becomes Processing. */
  pay(payment: Payment): Promise<void>;
  /** Sends the rail's decision. The payment becomes Paid, or Pending again. */
  decide(payment: Payment, decision: Decision): Promise<void>;
};

export async function openPayer({ url, rail, defer }: BenchFixture): Promise<Payer> {
  const connections = await openConnections(url, 16);
  defer(connections.close);
  const body = JSON.stringify({ phoneNumber: '923000001' });
  return {
    async pay({ clientToken }) {
      await connections.send(writeHttp('POST', new URL(`/checkout/${clientToken}/pay`, url), {}, body), 202);
    },
    async decide({ reference }, decision) {
      const purchase = await rail.takePurchase(reference);
      decide(purchase, decision);
      await connections.send(writePurchaseNotice(url, purchase), 200);
    },
  };
}
