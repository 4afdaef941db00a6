// The OPG fake. ProxyPay's dialect (/opg/v1) and the dialect of vPOS (/api/v1) share the same data.
import type { Clock } from '../../server/clock.ts';
import { startFake, type FakeAnswer, type FakeRequest, type FakeRow } from './fake.ts';
import { OpgBook, type OpgVerdict } from './opg-book.ts';

export type OpgFake = Awaited<ReturnType<typeof startOpg>>;

type OpgFakeOptions = { clock: Clock; token: string; posId: number; port?: number };

/** The base path of the fake's API for each dialect. */
export const OPG_BASES = { proxypay: '/opg/v1', vpos: '/api/v1' } as const;
export type OpgDialect = keyof typeof OPG_BASES;

/** Starts an empty OPG fake with both dialects. It sends callbacks to the `callback_url` of each order. */
export async function startOpg({ port, ...options }: OpgFakeOptions) {
  const book = new OpgBook({ ...options, notify: (url, body) => fake.notify(url, body) });
  const fake = await startFake(
    {
      title: 'ProxyPay OPG and vPOS',
      book,
      account: (url, dialect = 'proxypay') => ({
        settings: { dialect, posId: book.posId, baseUrl: url + OPG_BASES[dialect as OpgDialect] },
        secrets: { token: book.token },
      }),
      intercept: ({ headers }) =>
        headers.authorization === `Bearer ${book.token}` ? null : refuse(401, 'unknown token'),
      routes: { ...writeRoutes(book, 'proxypay', 'charges'), ...writeRoutes(book, 'vpos', 'requests') },
      notFound: refuse(404, 'no such address'),
      rows: () => listRows(book),
      act: (id, action) => actOn(book, id, action),
    },
    port,
  );
  return fake;
}

/** Both dialects have transactions. ProxyPay's also has the charges of codes, and vPOS has running requests. */
function writeRoutes(book: OpgBook, dialect: OpgDialect, own: 'charges' | 'requests') {
  const routes = ['transactions', own].flatMap((collection) => [
    [
      `GET ${OPG_BASES[dialect]}/${collection}/:id`,
      (_: FakeRequest, id: string) => show(book, collection, decodeURIComponent(id)),
    ],
    [
      `POST ${OPG_BASES[dialect]}/${collection}`,
      ({ headers, json }: FakeRequest) =>
        takeOnce(book, collection, dialect, { key: headers['idempotency-key'], ...json }),
    ],
  ]);
  return Object.fromEntries(routes);
}

function show(book: OpgBook, collection: string, id: string): FakeAnswer {
  const made = book.transactions.get(collection === 'requests' ? (book.requests.get(id) ?? '') : id);
  const thing = collection === 'charges' ? book.find(id) : made;
  if (!thing) return refuse(404, 'no such thing');
  if (collection !== 'requests') return { status: 200, body: book.write(thing) };
  if (thing.status === null) return { status: 200, body: {} };
  return { status: 303, ...writeLocation(book, `/api/v1/transactions/${thing.id}`) };
}

/** Returns the order of a repeated Idempotency-Key, or creates a new order. */
async function takeOnce(
  book: OpgBook,
  collection: string,
  dialect: OpgDialect,
  body: Record<string, unknown>,
): Promise<FakeAnswer> {
  const { key } = body;
  const order = readOrder(body, book, collection);
  if (typeof key !== 'string' || !order) return refuse(400, 'not an order');
  const id = (book.replaysKeys && book.keys.get(key)) || (await order());
  if (!id) return refuse(400, 'nothing to refund');
  book.keys.set(key, id);
  if (dialect === 'proxypay') return { ...show(book, collection, id), status: 201 };
  const request = `r-${id}`;
  book.requests.set(request, id);
  return { status: 202, ...writeLocation(book, `/api/v1/requests/${request}`) };
}

/** Creates an OPG order and returns its id. Returns null if the fields are invalid. */
function readOrder(body: Record<string, any>, book: OpgBook, collection: string) {
  const { type, parent_transaction_id: parentId, callback_url: callbackUrl, pos_id, amount, mobile } = body;
  if (typeof callbackUrl !== 'string') return null;
  if (type === 'refund') return async () => (await book.refund(String(parentId), callbackUrl))?.id;
  if (!/^\d+\.\d{2}$/.test(String(amount)) || pos_id !== book.posId) return null;
  if (collection === 'charges') return () => book.makeCharge({ amount, callbackUrl }).id;
  const isPayment = type === 'payment' && /^9\d{8}$/.test(String(mobile));
  return isPayment ? async () => (await book.push({ amount, callbackUrl, mobile })).id : null;
}

function writeLocation(book: OpgBook, path: string): Pick<FakeAnswer, 'headers'> {
  const location = book.locate(path);
  return location === null ? {} : { headers: { Location: location } };
}

function refuse(status: number, error: string): FakeAnswer {
  return { status, body: { error } };
}

const ACTIONS: Readonly<Record<string, OpgVerdict>> = {
  Approve: { status: 'accepted', reason: null },
  Refuse: { status: 'rejected', reason: 3000 },
  'No funds': { status: 'rejected', reason: 2001 },
  'Over the limit': { status: 'rejected', reason: 2003 },
  'Time out': { status: 'rejected', reason: 2004 },
};

function listRows(book: OpgBook): FakeRow[] {
  const actionsIf = (isOpen: boolean) => (isOpen ? Object.keys(ACTIONS) : []);
  const transactions = [...book.transactions.values()].map((one) => {
    const { id, type, mobile, charge_id, amount, status, status_reason } = one;
    const what = `${type === 'refund' ? 'refund to ' : ''}${mobile ?? `scan of ${charge_id}`}: ${amount} AOA`;
    return { id, what, state: `${status ?? 'waiting'} ${status_reason ?? ''}`, actions: actionsIf(status === null) };
  });
  const charges = [...book.charges.keys()].map((id) => {
    const { amount, status } = book.find(id)!;
    return { id, what: `code ${id}: ${amount} AOA`, state: status, actions: actionsIf(status === 'active') };
  });
  return [...transactions, ...charges];
}

async function actOn(book: OpgBook, id: string, action: string): Promise<void> {
  const verdict = ACTIONS[action];
  if (!verdict) return;
  if (book.charges.has(id)) await book.scan(id, verdict);
  else await book.decide(id, verdict);
}
