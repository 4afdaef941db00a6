// Payment references in both contracts: the tour creates one and many, and refuses, reads, lists and cancels them.
import type { Tour } from './recorder.ts';

export const PPR = '/api/references/ppr';

export async function walkReferences(tour: Tour): Promise<void> {
  await createOne(tour);
  await createByPayment(tour);
  await createMany(tour);
  await sendThem(tour);
  await readThem(tour);
  await cancelThem(tour);
}

/** Every field of this request is invalid. */
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
  await call(`POST ${PPR}`, 400, { body: WRONG });
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
  const key = 'reference-1';
  made['dynamic'] = (await call(`POST ${PPR}`, 201, { body, key })).json;
  await call(`POST ${PPR}`, 422, { body: { amount: 1 }, key });
  await call(`POST ${PPR}`, 400, { body: { ...body, amount: 2 } });
  const open = { reference: '001000002', referenceType: 'Charging', amount: 0 };
  made['charging'] = (await call(`POST ${PPR}`, 201, { body: open })).json;
  const legacy = { reference: '001000003', amount: 300, description: 'Antiga' };
  await call(`POST ${PPR}/legacy`, 201, { body: legacy });
  await call(`POST ${PPR}/legacy`, 400, { body: WRONG });
}

async function createByPayment({ call }: Tour): Promise<void> {
  const body = {
    amount: 999.99,
    currency: 'AOA',
    paymentType: 'PPR',
    reference: '001000005',
    metadata: { customerName: 'Eva Lima', returnUrl: 'https://loja.example/obrigado', custom: { cesto: 4 } },
  };
  await call('POST /api/payments', 201, { body });
  await call('POST /api/payments', 201, {
    body: { currency: 'AOA', paymentType: 'PPR', reference: '', metadata: { referenceType: 'Charging' } },
  });
}

async function createMany({ call }: Tour): Promise<void> {
  const references = [
    { amount: 11, reference: '001000011' },
    { amount: 12, description: 'second' },
    { referenceType: 'Charging', reference: '001000013' },
  ];
  await call(`POST ${PPR}/bulk`, 201, { body: { references } });
  const faulty = [
    { amount: 1, reference: '001000021' },
    { amount: -1 },
    { reference: '001000021' },
    { reference: '001000011', amount: 1 },
  ];
  await call(`POST ${PPR}/bulk`, 400, { body: { references: faulty } });
  await call(`POST ${PPR}/bulk`, 400, {
    body: {
      references: [
        { amount: 1, reference: '001000022' },
        { amount: 1, reference: '001000011' },
      ],
    },
  });
  await call(`POST ${PPR}/bulk`, 413, {
    body: { references: Array.from({ length: 501 }, () => ({ amount: 1 })) },
  });
}

async function readThem(tour: Tour): Promise<void> {
  const { call, made } = tour;
  const { reference, internalId } = made['dynamic'];
  const token = await tour.strangerToken();
  await call(`GET ${PPR}?pageSize=4`, 200);
  await call(`GET ${PPR}?type=x&status=x&page=x`, 400);
  await call(`GET ${PPR}/${reference}`, 200);
  await call(`GET /api/payments/${internalId}`, 200);
  await call(`GET ${PPR}/${reference}`, 404, { token });
  await call(`GET ${PPR}/${reference}/history`, 200);
  await call(`GET ${PPR}/${reference}/history`, 404, { token });
  await call(`POST ${PPR}/${reference}/cancel`, 404, { token });
}

async function cancelThem({ call }: Tour): Promise<void> {
  const { json } = await call(`POST ${PPR}`, 201, { body: { amount: 40, reference: '001000030' } });
  await call(`POST ${PPR}/${json.reference}/cancel`, 200);
  await call(`POST ${PPR}`, 201, { body: { amount: 41, reference: '001000030' } });
}

async function sendThem({ call, made, strangerToken }: Tour): Promise<void> {
  const references = [made['dynamic'].reference];
  const body = { references, conteudo: 'Propina de Novembro.' };
  await call(`POST ${PPR}/sms/preview`, 200, { body });
  await call(`POST ${PPR}/sms/preview`, 404, { body, token: await strangerToken() });
  await call(`POST ${PPR}/sms`, 200, { body, key: 'reference-sms-1' });
  await call(`POST ${PPR}/sms`, 400, { body: { references: [] } });
}
