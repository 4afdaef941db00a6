// A fake of AppyPay, written after its documentation: tokens, charges, QR images, references, and unsigned webhooks.
import type { Clock } from '../../server/clock.ts';
import { AppyPayBook, refuse, writeStatus } from './appypay-book.ts';
import { pressButton, listRows, PNG } from './appypay-page.ts';
import { startFake, type Fake, type FakeAnswer, type FakeRequest } from './fake.ts';

const MAX_REFERENCES = 500;
const TOKEN_SECONDS = 3599;

type Fields = Record<string, any>;

/** Starts AppyPay's fake. Port 0 takes a free port. The token URL is `/oauth2/token`, and the API is at `/v2.0`. */
export async function startAppyPay({ clock, port, entity }: { clock: Clock; port?: number; entity?: string }) {
  const book = new AppyPayBook(clock, entity);
  const fake: Fake<AppyPayBook> = await startFake(
    {
      title: 'AppyPay',
      book,
      account(url) {
        const { clientId, clientSecret, resource } = book;
        const [gpo, ref, umm] = book.methods;
        const urls = { baseUrl: `${url}/v2.0`, tokenUrl: `${url}/oauth2/token` };
        return { settings: { resource, methods: { gpo, ref, umm }, ...urls }, secrets: { clientId, clientSecret } };
      },
      intercept: ({ path, headers }) => {
        const until = book.tokens.get((headers.authorization ?? '').replace(/^Bearer /, '')) ?? 0;
        // AppyPay's 401 has no body.
        return path === '/oauth2/token' || until > book.now ? null : { status: 401 };
      },
      routes: {
        'POST /oauth2/token': (request) => issueToken(book, request),
        'GET /v2.0/charges': ({ query }) => listCharges(book, query),
        'GET /v2.0/charges/:id': (_, id) => {
          const charge = book.findCharge(id);
          return charge ? { status: 200, body: { payment: book.writeCharge(charge) } } : refuse(404, 720);
        },
        'GET /v2.0/references/:id': (_, id) => {
          const reference = book.references.get(id);
          return reference ? { status: 200, body: { reference: book.writeReference(reference) } } : refuse(404, 720);
        },
        'POST /v2.0/charges': (request) => makeCharge(book, request),
        'POST /v2.0/refunds/:id': ({ json }, id) => makeRefund(book, id, json),
        'POST /v2.0/qr-codes': ({ json }) => makeQrCode(book, json),
        'POST /v2.0/references': ({ json }) => makeReferences(book, json),
      },
      rows: () => listRows(book),
      act: (id, action) => pressButton(fake, id, action),
    },
    port,
  );
  return fake;
}

function issueToken(book: AppyPayBook, { body, headers }: FakeRequest): FakeAnswer {
  const form = Object.fromEntries(new URLSearchParams(body));
  if (headers['content-type'] !== 'application/x-www-form-urlencoded') return { status: 404 };
  if (form['grant_type'] !== 'client_credentials') return { status: 400, body: { error: 'unsupported_grant_type' } };
  if (form['resource'] !== book.resource) return { status: 400, body: { error: 'invalid_resource' } };
  const isKnown = form['client_id'] === book.clientId && form['client_secret'] === book.clientSecret;
  if (!isKnown) return { status: 401, body: { error: 'invalid_client' } };
  const access_token = `token-${book.nextId()}`;
  book.tokens.set(access_token, book.now + TOKEN_SECONDS * 1000);
  const [life, start] = [TOKEN_SECONDS, Math.floor(book.now / 1000)];
  const times = {
    expires_in: `${life}`,
    ext_expires_in: `${life}`,
    expires_on: `${start + life}`,
    not_before: `${start}`,
  };
  return { status: 200, body: { token_type: 'Bearer', ...times, resource: book.resource, access_token } };
}

function listCharges(book: AppyPayBook, query: URLSearchParams): FakeAnswer {
  const key = query.get('merchantTransactionId');
  const [from, to] = [query.get('dateFrom') ?? '', query.get('dateTo') ?? '9999'];
  const fitting = book.charges.filter(({ merchantTransactionId, createdDate }) => {
    const day = createdDate.slice(0, 10);
    return (key === null || merchantTransactionId === key) && day >= from && day <= to;
  });
  const skip = Number(query.get('skip') ?? 0);
  const page = fitting.slice(skip, skip + Math.min(Number(query.get('limit') ?? 20), book.pageSize));
  const payments = page.map((charge) => book.writeCharge(charge));
  const hasMorePages = skip + page.length < fitting.length;
  return { status: 200, body: { payments, totalCount: fitting.length, hasMorePages } };
}

const isPlainText = (text: unknown) => text === undefined || /^[A-Za-z0-9 ]+$/.test(String(text));

/** Returns the refusal of an invalid order. Codes: 719 missing field, 718 invalid amount, 726 repeated id. */
function findFault(book: AppyPayBook, body: Fields, kind: string): FakeAnswer | null {
  const id = body['merchantTransactionId'];
  if (!/^[a-zA-Z0-9]{1,15}$/.test(id ?? '') || body['currency'] !== 'AOA') return refuse(400, 719);
  if (typeof body['amount'] !== 'number' || body['amount'] < 1) return refuse(400, 718);
  if (kind === 'UMM' && body['amount'] < 50) return refuse(400, 759);
  if (!isPlainText(body['description'])) return refuse(400, 800);
  if (body['options'] !== undefined) return refuse(400, 803);
  return book.keys.has(id) ? refuse(400, 726) : null;
}

function makeCharge(book: AppyPayBook, { headers, json: body }: FakeRequest): FakeAnswer {
  const kind = String(body['paymentMethod']).slice(0, 3);
  if (!book.methods.includes(body['paymentMethod'])) return refuse(400, 206);
  const fault = findFault(book, body, kind);
  if (fault) return fault;
  if (kind === 'REF') return makeReferenceCharge(book, body);
  if (!/^(244)?9\d{8}$/.test(body['paymentInfo']?.phoneNumber ?? '')) return refuse(400, 717);
  book.keys.add(body['merchantTransactionId']);
  const charge = book.addCharge(body);
  const plan = book.plans.shift();
  const isAsync = headers.accept === 'application/vnd.appypay.asyncapi+json';
  book.addEvent(charge, plan?.code ?? 101, plan?.reason);
  const responseStatus = charge.transactionEvents.at(-1)?.['responseStatus'];
  return { status: isAsync && !plan ? 202 : 200, body: { id: charge.id, responseStatus, reference: null } };
}

/** Makes a refund at each call, since AppyPay accepts no id by which it could recognize a repeated call. */
function makeRefund(book: AppyPayBook, chargeId: string, body: Fields): FakeAnswer {
  const charge = book.findCharge(chargeId);
  const isPaid = charge?.transactionEvents.some(
    ({ type, responseStatus }) => type === 'Charge' && responseStatus.code === 100,
  );
  if (!charge || !isPaid || charge.reference) return refuse(404, 720);
  if (typeof body['amount'] !== 'number' || body['amount'] <= 1) return refuse(400, 718);
  if (!isPlainText(body['description'])) return refuse(400, 800);
  const { code, reason } = book.plans.shift() ?? { code: 100 };
  const refunded = (book.refunded.get(chargeId) ?? 0) + body['amount'];
  if (refunded > Number(charge.amount)) return refuse(400, 760);
  if (code <= 102) book.refunded.set(chargeId, refunded);
  const id = book.namesCharge ? chargeId : book.nextId();
  book.addEvent(charge, code, reason, id);
  return { status: 200, body: { id, responseStatus: writeStatus(code, reason), reference: null } };
}

function makeReferenceCharge(book: AppyPayBook, body: Fields): FakeAnswer {
  const { currency, amount, paymentInfo } = body;
  const number: string = paymentInfo?.referenceNumber ?? String(900_000_000 + book.references.size);
  const dueDate: string = paymentInfo?.dueDate ?? book.dayIn(72);
  if (!/^\d{9,15}$/.test(number)) return refuse(400, 800);
  if (dueDate < book.dayIn(0)) return refuse(400, 762);
  if (book.references.get(number)) return refuse(400, 763);
  book.keys.add(body['merchantTransactionId']);
  const charge = book.addCharge(body);
  charge.reference = { referenceNumber: number, dueDate, entity: book.entity };
  book.addEvent(charge, 101);
  const money = { currency, amount, expirationDate: dueDate };
  book.references.set(number, { number, ...money, isActive: true, chargeId: charge.id });
  const reference = book.drawsLater ? null : charge.reference;
  return { status: 200, body: { id: charge.id, responseStatus: writeStatus(101), reference } };
}

function makeReferences(book: AppyPayBook, body: Fields): FakeAnswer {
  const wanted = body['references'] as Fields[];
  if (!book.methods.includes(body['paymentMethod'])) return refuse(400, 206);
  if (wanted.length > MAX_REFERENCES) return refuse(413, 719);
  const references = wanted.map(({ referenceNumber, currency, minAmount, maxAmount, expirationDate, amounts }) => {
    const code = book.references.has(referenceNumber) ? 763 : expirationDate < book.dayIn(0) ? 762 : 101;
    const amount = amounts?.[0]?.amount ?? null;
    const money = { currency, amount, ...(amount === null && { minAmount, maxAmount }), expirationDate };
    const reference = { number: referenceNumber, ...money, isActive: true, chargeId: null };
    if (code === 101) book.references.set(referenceNumber, reference);
    return { referenceNumber, ...writeStatus(code) };
  });
  return { status: 202, body: { references } };
}

function makeQrCode(book: AppyPayBook, body: Fields): FakeAnswer {
  if (!book.methods.includes(body['paymentMethod'])) return refuse(400, 206);
  const fault = findFault(book, body, 'GPO');
  if (fault) return fault;
  if (!body['description']) return refuse(400, 719);
  const { qrCodeType, startDate, endDate, minAmount, maxTransactions } = body;
  const isMany = qrCodeType === 'MULTIPLE';
  const hasDays = [startDate, endDate].every((day) => /^\d{4}-\d\d-\d\d$/.test(day ?? ''));
  if (isMany && !(minAmount >= 1 && maxTransactions >= 2 && hasDays)) return refuse(400, 719);
  book.keys.add(body['merchantTransactionId']);
  const id = book.nextId();
  const { code, reason } = book.plans.shift() ?? { code: 103 };
  book.qrCodes.push({ id, ...body, left: isMany ? maxTransactions : 1, createdDate: new Date(book.now).toISOString() });
  const responseStatus = { ...writeStatus(code, reason), status: code === 103 ? 'Active' : 'Failed' };
  return { status: 200, body: { id, ...(code === 103 && { qrCodeArr: book.picture ?? PNG }), responseStatus } };
}
