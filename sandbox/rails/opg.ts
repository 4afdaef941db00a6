// The OPG fake: ProxyPay's dialect below /opg/v1 and the dialect of vPOS below /api/v1, over one book.
import type { Clock } from '../../server/clock.ts';
import { startFake, type Fake, type FakeAnswer, type FakeRequest, type FakeRow } from './fake.ts';
import { OpgBook, type OpgVerdict } from './opg-book.ts';

export type OpgFake = Fake & { book: OpgBook };

export type OpgFakeOptions = { clock: Clock; token: string; posId: number; port?: number };

/** Where each dialect's API begins, below the fake's own address. */
export const OPG_BASES = { proxypay: '/opg/v1', vpos: '/api/v1' } as const;

type FakeDialect = keyof typeof OPG_BASES;

/** Starts a fake with an empty book. It calls back to the `callback_url` of each order. */
export async function startOpgFake({ port = 0, ...options }: OpgFakeOptions): Promise<OpgFake> {
  const book = new OpgBook({ ...options, notify: (url, body) => fake.notify(url, body) });
  const fake = await startFake(
    {
      title: 'ProxyPay OPG and vPOS',
      clock: options.clock,
      answer: (request) => answerRequest(book, request),
      rows: () => listRows(book),
      act: (id, action) => actOn(book, id, action),
    },
    port,
  );
  return Object.assign(fake, { book });
}

type RouteAnswer = (book: OpgBook, request: FakeRequest, id: string) => FakeAnswer | Promise<FakeAnswer>;

const SHARED: Record<string, RouteAnswer> = { 'GET /transactions/*': showTransaction };

const ROUTES: Record<FakeDialect, Record<string, RouteAnswer>> = {
  proxypay: {
    ...SHARED,
    'POST /transactions': async (book, request) => {
      const made = await takeOnce(book, request, readOrder, (order) => makeTransaction(book, order));
      return typeof made === 'string' ? { ...showTransaction(book, request, made), status: 201 } : made;
    },
    'POST /charges': async (book, request) => {
      const made = await takeOnce(book, request, readCharge, (order) => book.makeCharge(order).id);
      return typeof made === 'string' ? { ...showCharge(book, request, made), status: 201 } : made;
    },
    'GET /charges/*': showCharge,
    'POST /charges/*/transactions': pretendScan,
  },
  vpos: {
    ...SHARED,
    'POST /transactions': async (book, request) => {
      const made = await takeOnce(book, request, readOrder, async (order) => {
        const id = await makeTransaction(book, order);
        if (id === null) return null;
        const requestId = `r${book.requests.size + 1}-${id}`;
        book.requests.set(requestId, id);
        return requestId;
      });
      return typeof made === 'string' ? { status: 202, ...writeLocation(book, `/api/v1/requests/${made}`) } : made;
    },
    'GET /requests/*': showRequest,
  },
};

async function answerRequest(book: OpgBook, request: FakeRequest): Promise<FakeAnswer> {
  const dialects: FakeDialect[] = ['proxypay', 'vpos'];
  const dialect = dialects.find((name) => request.path.startsWith(`${OPG_BASES[name]}/`));
  if (!dialect) return refuse(404, 'no such address');
  if (request.headers.authorization !== `Bearer ${book.token}`) return refuse(401, 'unknown token');
  const [collection = '', id, ...rest] = request.path.slice(OPG_BASES[dialect].length + 1).split('/');
  const shape = ['', collection, ...(id === undefined ? [] : ['*']), ...rest].join('/');
  const answer = ROUTES[dialect][`${request.method} ${shape}`];
  return answer ? answer(book, request, decodeURIComponent(id ?? '')) : refuse(404, 'no such address');
}

/** The id that the key made before, or makes now. A refusal for an invalid order. */
async function takeOnce<Order>(
  book: OpgBook,
  request: FakeRequest,
  read: (body: Record<string, unknown>, book: OpgBook) => Order | null,
  make: (order: Order) => string | null | Promise<string | null>,
): Promise<string | FakeAnswer> {
  const key = request.headers['idempotency-key'];
  const order = read(parseBody(request.body), book);
  if (typeof key !== 'string' || !order) return refuse(400, 'not an order');
  const before = book.replaysKeys ? book.keys.get(key) : undefined;
  const id = before ?? (await make(order));
  if (id === null) return refuse(400, 'nothing to refund');
  book.keys.set(key, id);
  return id;
}

type OpgOrder = { mobile: string; amount: string; callbackUrl: string } | { parentId: string; callbackUrl: string };

async function makeTransaction(book: OpgBook, order: OpgOrder): Promise<string | null> {
  const made = 'parentId' in order ? await book.refund(order.parentId, order.callbackUrl) : await book.push(order);
  return made && made.id;
}

function readOrder(body: Record<string, unknown>, book: OpgBook): OpgOrder | null {
  const { type, parent_transaction_id: parentId, callback_url: callbackUrl } = body;
  if (type !== 'refund') return readPayment(body, book);
  return typeof parentId === 'string' && typeof callbackUrl === 'string' ? { parentId, callbackUrl } : null;
}

function readPayment(body: Record<string, unknown>, book: OpgBook) {
  const order = readCharge(body, book);
  const { type, mobile } = body;
  return order && type === 'payment' && typeof mobile === 'string' && /^9\d{8}$/.test(mobile)
    ? { ...order, mobile }
    : null;
}

function readCharge({ pos_id, amount, callback_url }: Record<string, unknown>, book: OpgBook) {
  const isWhole = typeof amount === 'string' && /^\d+\.\d{2}$/.test(amount) && typeof callback_url === 'string';
  return isWhole && pos_id === book.posId ? { amount, callbackUrl: callback_url } : null;
}

function showTransaction(book: OpgBook, _request: FakeRequest, id: string): FakeAnswer {
  const transaction = book.transactions.get(id);
  return transaction ? { status: 200, body: book.write(transaction) } : refuse(404, 'no such transaction');
}

function showCharge(book: OpgBook, _request: FakeRequest, id: string): FakeAnswer {
  const charge = book.lookAt(id);
  return charge ? { status: 200, body: book.write(charge) } : refuse(404, 'no such charge');
}

function showRequest(book: OpgBook, _request: FakeRequest, id: string): FakeAnswer {
  const transaction = book.transactions.get(book.requests.get(id) ?? '');
  if (!transaction) return refuse(404, 'no such request');
  if (transaction.status === null) return { status: 200, body: {} };
  return { status: 303, ...writeLocation(book, `/api/v1/transactions/${transaction.id}`) };
}

function writeLocation(book: OpgBook, path: string): Pick<FakeAnswer, 'headers'> {
  const location = book.locate(path);
  return location === null ? {} : { headers: { Location: location } };
}

async function pretendScan(book: OpgBook, request: FakeRequest, id: string): Promise<FakeAnswer> {
  const { status, status_reason: reason } = parseBody(request.body);
  if (status !== 'accepted' && status !== 'rejected') return refuse(400, 'no such status');
  const isNumbered = status === 'rejected' && typeof reason === 'number';
  const scan = await book.scan(id, { status, reason: isNumbered ? reason : null });
  return scan ? { status: 201, body: book.write(scan) } : refuse(404, 'no such active charge');
}

function refuse(status: number, error: string): FakeAnswer {
  return { status, body: { error } };
}

function parseBody(text: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** The buttons of a push and of a code. */
const ACTIONS: Readonly<Record<string, OpgVerdict>> = {
  Approve: { status: 'accepted', reason: null },
  Refuse: { status: 'rejected', reason: 3000 },
  'No funds': { status: 'rejected', reason: 2001 },
  'Over the limit': { status: 'rejected', reason: 2003 },
  'Time out': { status: 'rejected', reason: 2004 },
};

function listRows(book: OpgBook): FakeRow[] {
  const charges = [...book.charges.keys()].flatMap((id) => book.lookAt(id) ?? []);
  const actionsIf = (isOpen: boolean) => (isOpen ? Object.keys(ACTIONS) : []);
  return [
    ...[...book.transactions.values()].map(({ id, type, mobile, charge_id, amount, status, status_reason }) => ({
      id,
      what: `${type === 'refund' ? 'refund to ' : ''}${mobile ?? `scan of ${charge_id}`}: ${amount} AOA`,
      state: [status ?? 'waiting', status_reason].filter((word) => word !== null).join(' '),
      actions: actionsIf(status === null),
    })),
    ...charges.map(({ id, amount, status }) => ({
      id,
      what: `code ${id}: ${amount} AOA`,
      state: status,
      actions: actionsIf(status === 'active'),
    })),
  ];
}

async function actOn(book: OpgBook, id: string, action: string): Promise<void> {
  const verdict = ACTIONS[action];
  if (!verdict) return;
  if (book.charges.has(id)) await book.scan(id, verdict);
  else await book.decide(id, verdict);
}
