// AppyPay as far as its documentation tells: tokens, charges, codes as pictures, references, and webhooks that a stranger could send.
import type { Clock } from '../../server/clock.ts';
import { startFake, type Fake, type FakeAnswer, type FakeRequest } from './fake.ts';
import {
  addCharge,
  addEvent,
  findCharge,
  makeId,
  openBook,
  refuse,
  writeCharge,
  writeReference,
  writeStatus,
  type AppyPayBook,
  type FakeCharge,
} from './appypay-book.ts';
import { actOnBook, listRows, PNG } from './appypay-desk.ts';

const MAX_REFERENCES = 500;
const TOKEN_SECONDS = 3599;

/** Starts it on this port; 0 takes a free one. Tokens are at `/oauth2/token`, the API at `/v2.0`. */
export async function startAppyPay(clock: Clock, port = 0): Promise<Fake & { book: AppyPayBook }> {
  const book = openBook();
  const fake = await startFake(
    {
      title: 'AppyPay',
      clock,
      answer: (request) => answerAppyPay(book, clock, request),
      rows: () => listRows(book),
      act: (id, action) => actOnBook(book, clock, fake, id, action),
    },
    port,
  );
  return Object.assign(fake, { book });
}

function answerAppyPay(book: AppyPayBook, clock: Clock, request: FakeRequest): FakeAnswer {
  const { method, path } = request;
  if (path === '/oauth2/token') return issueToken(book, clock, request);
  const until = book.tokens.get((request.headers.authorization ?? '').replace(/^Bearer /, ''));
  // Its 401 says nothing.
  if (!until || until <= clock.now().getTime()) return { status: 401 };
  const [, version, noun, id] = path.split('/');
  if (version !== 'v2.0') return { status: 404 };
  if (method === 'GET') return read(book, clock, request, noun, id);
  const body = JSON.parse(request.body) as Record<string, any>;
  if (noun === 'refunds' && id) return makeRefund(book, clock, id, body);
  if (noun === 'charges') return makeCharge(book, clock, request, body);
  if (noun === 'qr-codes') return makeQrCode(book, clock, body);
  return noun === 'references' ? makeReferences(book, clock, body) : { status: 405 };
}

function issueToken(book: AppyPayBook, clock: Clock, { method, body, headers }: FakeRequest): FakeAnswer {
  const form = new URLSearchParams(body);
  if (method !== 'POST' || headers['content-type'] !== 'application/x-www-form-urlencoded') return { status: 404 };
  if (form.get('grant_type') !== 'client_credentials')
    return { status: 400, body: { error: 'unsupported_grant_type' } };
  if (form.get('resource') !== book.resource) return { status: 400, body: { error: 'invalid_resource' } };
  const isKnown = form.get('client_id') === book.clientId && form.get('client_secret') === book.clientSecret;
  if (!isKnown) return { status: 401, body: { error: 'invalid_client' } };
  const token = `token-${makeId(book)}`;
  const now = clock.now().getTime();
  book.tokens.set(token, now + TOKEN_SECONDS * 1000);
  const seconds = Math.floor(now / 1000);
  return {
    status: 200,
    body: {
      token_type: 'Bearer',
      expires_in: String(TOKEN_SECONDS),
      ext_expires_in: String(TOKEN_SECONDS),
      expires_on: String(seconds + TOKEN_SECONDS),
      not_before: String(seconds),
      resource: book.resource,
      access_token: token,
    },
  };
}

function read(book: AppyPayBook, clock: Clock, { query }: FakeRequest, noun?: string, id?: string): FakeAnswer {
  if (noun === 'references' && id) {
    const reference = book.references.get(id);
    return reference ? { status: 200, body: { reference: writeReference(book, reference, clock) } } : refuse(404, 720);
  }
  if (noun !== 'charges') return { status: 404 };
  if (id) {
    const charge = findCharge(book, id);
    return charge ? { status: 200, body: { payment: writeCharge(book, charge) } } : refuse(404, 720);
  }
  const key = query.get('merchantTransactionId');
  const [from, to] = [query.get('dateFrom') ?? '', query.get('dateTo') ?? '9999'];
  const fitting = book.charges.filter(({ merchantTransactionId, createdDate }) => {
    const day = createdDate.slice(0, 10);
    return (key === null || merchantTransactionId === key) && day >= from && day <= to;
  });
  const skip = Number(query.get('skip') ?? 0);
  const page = fitting.slice(skip, skip + Math.min(Number(query.get('limit') ?? 20), book.pageSize));
  const payments = page.map((charge) => writeCharge(book, charge));
  const hasMorePages = skip + page.length < fitting.length;
  return { status: 200, body: { payments, totalCount: fitting.length, hasMorePages } };
}

/** What any thing to be made must have: 719 field missing, 718 amount, 726 this id once more. */
function findFault(book: AppyPayBook, body: Record<string, any>, kind: 'GPO' | 'REF' | 'UMM'): FakeAnswer | null {
  const id = body.merchantTransactionId;
  if (!/^[a-zA-Z0-9]{1,15}$/.test(id ?? '') || body.currency !== 'AOA') return refuse(400, 719);
  if (typeof body.amount !== 'number' || body.amount < 1) return refuse(400, 718);
  if (kind === 'UMM' && body.amount < 50) return refuse(400, 759);
  if (body.description !== undefined && !/^[A-Za-z0-9 ]+$/.test(body.description)) return refuse(400, 800);
  if (body.options !== undefined) return refuse(400, 803);
  return book.keys.has(id) ? refuse(400, 726) : null;
}

function makeCharge(book: AppyPayBook, clock: Clock, { headers }: FakeRequest, body: Record<string, any>): FakeAnswer {
  const kind = String(body.paymentMethod).slice(0, 3) as 'GPO' | 'REF' | 'UMM';
  if (!book.methods.includes(body.paymentMethod)) return refuse(400, 206);
  const fault = findFault(book, body, kind);
  if (fault) return fault;
  if (kind === 'REF') return makeReferenceCharge(book, clock, body);
  if (!/^(244)?9\d{8}$/.test(body.paymentInfo?.phoneNumber ?? '')) return refuse(400, 717);
  book.keys.add(body.merchantTransactionId);
  const charge = addCharge(book, clock, body);
  const plan = book.plans.shift();
  const isAsync = headers.accept === 'application/vnd.appypay.asyncapi+json';
  addEvent(charge, clock, plan?.code ?? 101, plan?.reason);
  const responseStatus = charge.transactionEvents.at(-1)?.responseStatus;
  return { status: isAsync && !plan ? 202 : 200, body: { id: charge.id, responseStatus, reference: null } };
}

/** Each call gives back once more: no id of the caller's tells two of them apart. */
function makeRefund(book: AppyPayBook, clock: Clock, chargeId: string, body: Record<string, any>): FakeAnswer {
  const charge = findCharge(book, chargeId);
  const isPaid = charge?.transactionEvents.some(({ type, responseStatus }) => {
    return type === 'Charge' && (responseStatus as { code: number }).code === 100;
  });
  if (!charge || !isPaid || charge.reference) return refuse(404, 720);
  if (typeof body.amount !== 'number' || body.amount <= 1) return refuse(400, 718);
  if (body.description !== undefined && !/^[A-Za-z0-9 ]+$/.test(body.description)) return refuse(400, 800);
  const plan = book.plans.shift() ?? { code: 100 };
  const refunded = (book.refunded.get(chargeId) ?? 0) + body.amount;
  if (refunded > Number(charge.amount)) return refuse(400, 760);
  if (plan.code <= 102) book.refunded.set(chargeId, refunded);
  const id = book.namesCharge ? chargeId : makeId(book);
  addEvent(charge, clock, plan.code, plan.reason, id);
  return { status: 200, body: { id, responseStatus: writeStatus(plan.code, plan.reason), reference: null } };
}

function makeReferenceCharge(book: AppyPayBook, clock: Clock, body: Record<string, any>): FakeAnswer {
  const number = body.paymentInfo?.referenceNumber ?? String(900_000_000 + book.references.size);
  const dueDate = body.paymentInfo?.dueDate ?? writeDay(clock, 72);
  if (!/^\d{9,15}$/.test(number)) return refuse(400, 800);
  if (dueDate < writeDay(clock, 0)) return refuse(400, 762);
  if (book.references.get(number)) return refuse(400, 763);
  book.keys.add(body.merchantTransactionId);
  const charge: FakeCharge = addCharge(book, clock, body);
  charge.reference = { referenceNumber: number, dueDate, entity: book.entity };
  addEvent(charge, clock, 101);
  const { currency, amount } = body;
  book.references.set(number, {
    number,
    currency,
    amount,
    expirationDate: dueDate,
    isActive: true,
    chargeId: charge.id,
  });
  const responseStatus = writeStatus(101);
  return { status: 200, body: { id: charge.id, responseStatus, reference: book.drawsLater ? null : charge.reference } };
}

function makeReferences(book: AppyPayBook, clock: Clock, body: Record<string, any>): FakeAnswer {
  const wanted = body.references as Record<string, any>[];
  if (!book.methods.includes(body.paymentMethod)) return refuse(400, 206);
  if (wanted.length > MAX_REFERENCES) return refuse(413, 719);
  const references = wanted.map((one) => {
    const number: string = one.referenceNumber;
    const code = book.references.has(number) ? 763 : one.expirationDate < writeDay(clock, 0) ? 762 : 101;
    const { currency, minAmount, maxAmount, expirationDate } = one;
    const amount = one.amounts?.[0]?.amount ?? null;
    if (code === 101) {
      const bounds = amount === null ? { minAmount, maxAmount } : {};
      book.references.set(number, {
        number,
        currency,
        amount,
        ...bounds,
        expirationDate,
        isActive: true,
        chargeId: null,
      });
    }
    return { referenceNumber: number, ...writeStatus(code) };
  });
  return { status: 202, body: { references } };
}

function makeQrCode(book: AppyPayBook, clock: Clock, body: Record<string, any>): FakeAnswer {
  if (!book.methods.includes(body.paymentMethod)) return refuse(400, 206);
  const fault = findFault(book, body, 'GPO');
  if (fault) return fault;
  if (!body.description) return refuse(400, 719);
  const isMany = body.qrCodeType === 'MULTIPLE';
  const hasDays = [body.startDate, body.endDate].every((day) => /^\d{4}-\d\d-\d\d$/.test(day ?? ''));
  if (isMany && !(body.minAmount >= 1 && body.maxTransactions >= 2 && hasDays)) return refuse(400, 719);
  book.keys.add(body.merchantTransactionId);
  const id = makeId(book);
  const plan = book.plans.shift();
  const code = plan?.code ?? 103;
  book.qrCodes.push({ id, ...body, left: isMany ? body.maxTransactions : 1, createdDate: clock.now().toISOString() });
  const responseStatus = { ...writeStatus(code, plan?.reason), status: code === 103 ? 'Active' : 'Failed' };
  return { status: 200, body: { id, ...(code === 103 && { qrCodeArr: book.picture ?? PNG }), responseStatus } };
}

function writeDay(clock: Clock, hours: number): string {
  return new Date(clock.now().getTime() + (hours + 1) * 3_600_000).toISOString().slice(0, 10);
}
