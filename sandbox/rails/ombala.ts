// A fake of Ombala, written after its documentation. A repeated request sends again, and lists have pages of twenty.
import { normalizePhone } from '../../shared/phone.ts';
import type { FakeAnswer, FakeRequest } from './fake.ts';
import { startSmsFake, takeInstead, type SmsBook, type SmsFakeOptions } from './sms-fake.ts';

export type OmbalaMessage = {
  /** `id`: an integer too large for a JavaScript number, as a string of digits. */
  id: string;
  to: string;
  from: string;
  content: string;
  /** `state`: the message's `message_status`, by default `PENDING`, `DELIVERED` or `REFUSED`. */
  state: string;
  parts: number | string;
  at: Date;
};

export type OmbalaBook = ReturnType<typeof makeBook>;

const PAGE_SIZE = 20;

export function startOmbala({ clock, port }: SmsFakeOptions) {
  const book = makeBook();
  const parts = {
    title: 'Ombala',
    book,
    intercept: ({ headers }: FakeRequest) =>
      headers.authorization === `Token ${book.apiKey}` ? null : refuse(401, [{ message: 'Token inválido' }]),
    routes: {
      'POST /messages': ({ json }: FakeRequest) => takeInstead(book) ?? takeMessage(book, json, clock.now()),
      'GET /messages': ({ query }: FakeRequest) => {
        const sent = book.messages.map((message) => writeSending(book, message));
        return listEntries(book, sent, query);
      },
      'GET /messages/recipient': ({ query }: FakeRequest) => listRecipient(book, query, clock.now()),
    },
    notFound: refuse(404, [{ message: 'Não encontrado' }]),
    textOf: ({ content }: OmbalaMessage) => content,
    waiting: 'PENDING',
    buttons: { deliver: 'DELIVERED', refuse: 'REFUSED' },
  };
  return startSmsFake(parts, port);
}

/** Creates the fake's data. docs/rails/ombala.md lists the documented behaviour of the provider. */
function makeBook() {
  return {
    apiKey: 'ombala-token-1',
    senders: ['LOJAILHA'],
    lastId: 0,
    messages: [] as OmbalaMessage[],
    instead: null as FakeAnswer | null,
    numbers: 'integer' as SmsBook['numbers'],
    /** `phones`: the format of stored phone numbers. A search with another format finds nothing. */
    phones: 'e164' as 'e164' | 'digits' | 'national',
    /** `listsEverybody`: if true, a search by phone number ignores the number and finds all messages. */
    listsEverybody: false,
    /** `contentName`: the list's field with the text of a message. Null: the list has no texts. */
    contentName: 'content' as 'content' | 'message' | null,
    keep: (text: string) => text,
    /** `delayMs`: the delay before a new message is listed. `skewMs`: the time by which the fake's clock is ahead. */
    delayMs: 0,
    skewMs: 0,
    zone: 'Z',
    listName: 'data' as 'data' | 'messages' | null,
    /** `paging`: `told` and `untold` are pages with and without page numbers. `stuck`: every page equals the first. */
    paging: 'told' as 'told' | 'untold' | 'stuck',
    listing: 'once' as 'once' | 'twice' | 'reversed',
  };
}

function takeMessage(book: OmbalaBook, fields: FakeRequest['json'], now: Date): FakeAnswer {
  const { message, from, to } = fields as Record<string, string>;
  if (!message || !/^(\+?244)?9\d{8}$/.test(to ?? ''))
    return refuse(422, { code: 'INVALID_PHONE', message: 'Inválido' });
  if (!from || !book.senders.includes(from)) return refuse(400, [{ message: 'Remetente não aprovado' }]);
  const sent: OmbalaMessage = {
    id: String(840_000_000_000_000_000n + BigInt(++book.lastId)),
    to: String(normalizePhone(String(to))),
    from,
    content: book.keep(message),
    state: 'PENDING',
    parts: message.length <= 160 ? 1 : Math.ceil(message.length / 153),
    at: new Date(now.getTime() + book.skewMs),
  };
  book.messages.push(sent);
  return { status: 201, body: { ...writeSending(book, sent), total_pdus: sent.parts } };
}

function writeSending(book: OmbalaBook, { id, content, parts, from, at, to, state }: OmbalaMessage) {
  const phone_number = fileNumber(to, book.phones);
  const recipient = { phone_number, message_status: state, message_id: `${id}1`, group_name: null };
  return {
    id,
    content,
    cost: '8.8',
    size: content.length,
    gsm: true,
    parts: String(parts),
    from,
    created_at: at.toISOString(),
    recipients: [recipient],
    total_recipients: 1,
    recipients_pending: Number(state === 'PENDING'),
    recipients_delivered: Number(state === 'DELIVERED'),
    recipients_refused: Number(state === 'REFUSED'),
  };
}

/** Lists the messages to a phone number, newest first. `parent_id` is the message's id. */
function listRecipient(book: OmbalaBook, query: URLSearchParams, now: Date): FakeAnswer {
  const wanted = query.get('phone_number');
  const found = book.messages
    .filter(({ to, at }) => (book.listsEverybody || fileNumber(to, book.phones) === wanted) && isListed(book, at, now))
    .reverse()
    .map(({ id, to, from, content, state, at }) => ({
      message_id: `${id}1`,
      parent_id: id,
      phone_number: fileNumber(to, book.phones),
      message_status: state,
      ...(book.contentName && { [book.contentName]: content }),
      from,
      created_at: at.toISOString().replace('Z', book.zone),
    }));
  return listEntries(book, found, query);
}

function isListed({ delayMs, skewMs }: OmbalaBook, at: Date, now: Date): boolean {
  return at.getTime() - skewMs + delayMs <= now.getTime();
}

function listEntries(book: OmbalaBook, entries: unknown[], query: URLSearchParams): FakeAnswer {
  const page = book.paging === 'stuck' ? 0 : Number(query.get('page') ?? 0);
  const listed = book.listing === 'reversed' ? entries.toReversed() : entries;
  const shown = listed.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE);
  if (book.listing === 'twice') shown.push(...shown);
  if (!book.listName) return { status: 200, body: shown };
  const last = Math.max(0, Math.ceil(entries.length / PAGE_SIZE) - 1);
  const pagination = { total_itens: entries.length, page, items_per_page: PAGE_SIZE, last_page: last };
  return { status: 200, body: { [book.listName]: shown, ...(book.paging !== 'untold' && { pagination }) } };
}

function fileNumber(e164: string, form: OmbalaBook['phones']): string {
  const digits = e164.replace('+', '');
  return { e164, digits, national: digits.slice(3) }[form];
}

function refuse(status: number, errors: unknown): FakeAnswer {
  return { status, body: { errors } };
}
