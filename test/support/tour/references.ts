// Payment references in both contracts: created one by one and in bulk, refused, read, listed, canceled.
import type { Tour } from './recorder.ts';

export const PPR = '/api/references/ppr';

export async function walkReferences(tour: Tour): Promise<void> {
  await createOne(tour);
  await createByPayment(tour);
  await createMany(tour);
  await readThem(tour);
  await cancelThem(tour);
}

/** Fields that are wrong in many ways. */
const WRONG = {
  reference: '12',
  amount: 0,
  referenceType: 'Dynamic',
  expiryDate: 'tomorrow',
  description: 'x'.repeat(300),
  customerTelephone: 'x'.repeat(70),
};

async function createOne({ call, made, keepDigits }: Tour): Promise<void> {
  keepDigits(...Array.from({ length: 100 }, (_, nth) => `0010000${String(nth).padStart(2, '0')}`), '009900001');
  await call('a reference with many faults', `POST ${PPR}`, { body: WRONG });
  await call('a reference whose time is over', `POST ${PPR}`, { body: { amount: 1, expiryDate: '2020-01-01' } });
  const body = {
    reference: '001000001',
    amount: 1500.5,
    description: 'Propina',
    customerEmail: 'eva@exemplo.ao',
    customerName: 'Eva Lima',
    customerTelephone: '923456789',
    documentNumber: '000123456LA042',
    expiryDate: '2026-03-20',
    customMetadata: { turma: '7B' },
  };
  const headers = { 'idempotency-key': 'reference-1' };
  made['dynamic'] = (await call('a reference', `POST ${PPR}`, { body, headers })).json;
  await call('a reference by the same key', `POST ${PPR}`, { body, headers });
  await call('a reference’s key with another body', `POST ${PPR}`, { body: { amount: 1 }, headers });
  await call('digits in use', `POST ${PPR}`, { body: { ...body, amount: 2 } });
  await call('a reference with generated digits', `POST ${PPR}`, { body: { amount: 10 } });
  const open = { reference: '001000002', referenceType: 'Charging', amount: 0 };
  made['charging'] = (await call('an open reference', `POST ${PPR}`, { body: open })).json;
  await call('an open reference with a fixed amount', `POST ${PPR}`, {
    body: { referenceType: 'Charging', amount: 25 },
  });
  const legacy = { reference: '001000003', amount: 300, description: 'Antiga' };
  made['legacy'] = (await call('a legacy reference', `POST ${PPR}/legacy`, { body: legacy })).json;
  await call('a legacy reference with many faults', `POST ${PPR}/legacy`, { body: WRONG });
  const old = { referenceType: 'Charging', reference: '001000004' };
  await call('an open legacy reference', `POST ${PPR}/legacy`, {
    body: old,
    headers: { 'idempotency-key': 'legacy-1' },
  });
}

async function createByPayment({ call, made }: Tour): Promise<void> {
  const body = {
    amount: 999.99,
    currency: 'AOA',
    paymentType: 'PPR',
    reference: '001000005',
    metadata: { customerName: 'Eva Lima', returnUrl: 'https://loja.example/obrigado', custom: { cesto: 4 } },
  };
  const headers = { 'idempotency-key': 'ppr-payment-1' };
  made['byPayment'] = (await call('a payment by reference', 'POST /api/payments', { body, headers })).json;
  await call('a payment by reference by the same key', 'POST /api/payments', { body, headers });
  await call('a payment by reference with many faults', 'POST /api/payments', {
    body: { ...body, reference: 'x', amount: 0, metadata: { referenceType: 'x', expiryDate: 'x', returnUrl: 'x' } },
  });
  await call('an open payment by reference', 'POST /api/payments', {
    body: { currency: 'AOA', paymentType: 'PPR', reference: '', metadata: { referenceType: 'Charging' } },
  });
}

async function createMany({ call }: Tour): Promise<void> {
  const references = [
    { amount: 11, reference: '001000011' },
    { amount: 12, description: 'second' },
    { referenceType: 'Charging', reference: '001000013' },
  ];
  const headers = { 'idempotency-key': 'bulk-1' };
  await call('many references', `POST ${PPR}/bulk`, { body: { references }, headers });
  await call('many references by the same key', `POST ${PPR}/bulk`, { body: { references }, headers });
  const faulty = [
    { amount: 1, reference: '001000021' },
    { amount: -1 },
    { reference: '001000021' },
    { reference: '001000011', amount: 1 },
  ];
  await call('many references with faults', `POST ${PPR}/bulk`, { body: { references: faulty } });
  await call('many references of which one is in use', `POST ${PPR}/bulk`, {
    body: {
      references: [
        { amount: 1, reference: '001000022' },
        { amount: 1, reference: '001000011' },
      ],
    },
  });
  await call('no references', `POST ${PPR}/bulk`, { body: { references: [] } });
  await call('too many references', `POST ${PPR}/bulk`, {
    body: { references: Array.from({ length: 501 }, () => ({ amount: 1 })) },
  });
}

async function readThem(tour: Tour): Promise<void> {
  const { call, made } = tour;
  const { reference, internalId } = made['dynamic'];
  const token = await tour.strangerToken();
  await call('the references', `GET ${PPR}?pageSize=4`);
  await call('the open references', `GET ${PPR}?type=Charging&status=Pending`);
  await call('the references with faults', `GET ${PPR}?type=x&status=x&page=x`);
  await call('a reference by its digits', `GET ${PPR}/${reference}`);
  await call('a reference as a payment', `GET /api/payments/${internalId}`);
  await call('another’s reference', `GET ${PPR}/${reference}`, { token });
  await call('a reference that is none', `GET ${PPR}/999999999`);
  await call('a reference of odd digits', `GET ${PPR}/x`);
  await call('a reference’s history', `GET ${PPR}/${reference}/history`);
  await call('another’s reference’s history', `GET ${PPR}/${reference}/history`, { token });
  await call('another’s reference is canceled', `POST ${PPR}/${reference}/cancel`, { token });
  await call('a reference of a merchant without a number of its own', `POST ${PPR}`, {
    token,
    body: { amount: 5, reference },
  });
}

async function cancelThem({ call }: Tour): Promise<void> {
  const { json } = await call('a reference to be canceled', `POST ${PPR}`, {
    body: { amount: 40, reference: '001000030' },
  });
  const headers = { 'idempotency-key': 'cancel-ppr-1' };
  await call('a reference is canceled', `POST ${PPR}/${json.reference}/cancel`, { headers });
  await call('a reference is canceled by the same key', `POST ${PPR}/${json.reference}/cancel`, { headers });
  await call('a reference is canceled again', `POST ${PPR}/${json.reference}/cancel`);
  await call('the canceled reference', `GET ${PPR}/${json.reference}`);
  await call('the canceled reference’s history', `GET ${PPR}/${json.reference}/history`);
  const again = await call('its digits once more', `POST ${PPR}`, { body: { amount: 41, reference: '001000030' } });
  await call('a reference is canceled as a payment', `POST /api/payments/${again.json.internalId}/cancel`);
}
