// A page with a payment that the server renders.
import { BalcaoPayment } from '@balcao/react';

export const dynamic = 'force-dynamic';

export default async function Page({ searchParams }) {
  const { gateway, token } = await searchParams;
  return (
    <BalcaoPayment gateway={gateway} token={token}>
      <a href="/pay">Pagar</a>
    </BalcaoPayment>
  );
}
