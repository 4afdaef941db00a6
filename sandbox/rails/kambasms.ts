// A fake of KambaSMS, written after its SDKs. Idempotency keys last a day, and the list has the last 100 messages.
import { DAY_MS } from '../../shared/durations.ts';
import type { FakeAnswer, FakeRequest } from './fake.ts';
import { startSmsFake, takeInstead, type SmsBook, type SmsFakeOptions } from './sms-fake.ts';

type KambaMessage = {
  /** `id`: an integer too large for a JavaScript number, as a string of digits. */
  id: string;
  to: string;
  text: string;
  sender: string;
  /** `state`: the message's `status` in answers, by default `queued`, `delivered` or `failed`. */
  state: string;
  segments: number | string;
  at: Date;
};

export type KambaBook = ReturnType<typeof makeBook>;

type KeptAnswer = { body: string; at: number; answer: FakeAnswer };

const KEY_MS = DAY_MS;
const LISTED = 100;

export function startKambaSms({ clock, port }: SmsFakeOptions) {
  const book = makeBook();
  const kept = new Map<string, KeptAnswer>();
  const parts = {
    title: 'KambaSMS',
    book,
    intercept: ({ headers }: FakeRequest) =>
      headers['x-api-key'] === book.apiKey ? null : refuse(401, 'Invalid API key'),
    routes: {
      'POST /messages/send': (request: FakeRequest) => answerByKey(book, kept, request, clock.now()),
      'GET /messages': ({ query }: FakeRequest) => listMessages(book, query),
      'GET /credits/balance': () => {
        const kind = book.isTestKey ? { environment: 'test' } : {};
        return { status: 200, body: { success: true, balance: book.balance, ...kind } };
      },
    },
    notFound: refuse(404, 'Not found'),
    textOf: ({ text }: KambaMessage) => text,
    waiting: 'queued',
    buttons: { deliver: 'delivered', fail: 'failed' },
  };
  return startSmsFake(parts, port);
}

/** Creates the fake's data. docs/rails/kambasms.md lists the documented behaviour of the provider. */
function makeBook() {
  return {
    apiKey: 'kamba-test-key',
    senders: ['LOJAILHA'],
    lastId: 0,
    messages: [] as KambaMessage[],
    instead: null as FakeAnswer | null,
    numbers: 'text' as SmsBook['numbers'],
    /** `isTestKey`: true if KambaSMS only simulates messages with this key. */
    isTestKey: true,
    balance: 500,
    /** `takesOn`: if set, the fake answers 202 to messages, with or without a message id. */
    takesOn: null as 'with_id' | 'without_id' | null,
    idName: 'message_id' as 'message_id' | 'id',
    listName: 'messages' as 'messages' | 'data' | null,
  };
}

function answerByKey(book: KambaBook, kept: Map<string, KeptAnswer>, request: FakeRequest, now: Date): FakeAnswer {
  const key = String(request.headers['idempotency-key'] ?? '');
  if (!/^[A-Za-z0-9._:-]{8,200}$/.test(key)) return refuse(400, 'Invalid Idempotency-Key');
  const before = kept.get(key);
  if (before && now.getTime() - before.at < KEY_MS) {
    return before.body === request.body ? before.answer : refuse(409, 'Idempotency-Key already used');
  }
  const answer = takeInstead(book) ?? takeMessage(book, request.json, now);
  if (answer.status < 300) kept.set(key, { body: request.body, at: now.getTime(), answer });
  return answer;
}

function takeMessage(book: KambaBook, fields: FakeRequest['json'], now: Date): FakeAnswer {
  const { takesOn } = book;
  const { to, text, sender_id: sender } = fields as Record<string, string>;
  if (!/^\+2449\d{8}$/.test(to ?? '') || !text) return refuse(422, 'Número ou texto inválido');
  if (!sender || !book.senders.includes(sender)) return refuse(400, 'Remetente não aprovado');
  if (book.balance === 0) return refuse(402, 'Saldo insuficiente');
  book.balance--;
  const message: KambaMessage = {
    id: String(730_000_000_000_000_000n + BigInt(++book.lastId)),
    to: String(to),
    text,
    sender,
    state: 'queued',
    segments: text.length <= 160 ? 1 : Math.ceil(text.length / 153),
    at: now,
  };
  book.messages.push(message);
  if (!takesOn) return { status: 200, body: writeTaken(book, message) };
  const id = takesOn === 'with_id' ? { message_id: message.id } : {};
  return { status: 202, body: { error: 'Envio por confirmar', ...id, reservation_id: `r-${message.id}` } };
}

function writeTaken(book: KambaBook, { id, to, state: status, segments, at }: KambaMessage) {
  return {
    success: true,
    message_id: id,
    status,
    to,
    segments: String(segments),
    remaining_balance: book.balance,
    timestamp: at.toISOString(),
    lifecycle: [{ status, timestamp: at.toISOString() }],
    ...pretend(book),
  };
}

function pretend({ isTestKey }: KambaBook) {
  return isTestKey ? { environment: 'test', simulated: true } : {};
}

/** Lists the fake's last 100 messages, newest first. */
function listMessages(book: KambaBook, query: URLSearchParams): FakeAnswer {
  const [limit, page] = [Number(query.get('limit') ?? 20), Number(query.get('page') ?? 1)];
  const last = book.messages.slice(-LISTED).reverse();
  const shown = last.slice((page - 1) * limit, page * limit).map(({ id, to, text, sender, state, segments, at }) => ({
    [book.idName]: id,
    to,
    text,
    sender_id: sender,
    status: state,
    segments: String(segments),
    timestamp: at.toISOString(),
    ...pretend(book),
  }));
  return { status: 200, body: book.listName ? { success: true, [book.listName]: shown } : shown };
}

function refuse(status: number, error: string): FakeAnswer {
  return { status, body: { success: false, error } };
}
