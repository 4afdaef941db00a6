// The common part of the SMS fakes: start, HTML page, and message ids as large integers.
import type { Clock } from '../../server/clock.ts';
import { startFake, type Fake, type FakeAnswer, type FakeRequest } from './fake.ts';

export type SmsFakeOptions = { clock: Clock; port?: number };

/** The in-memory data that all SMS fakes have. */
export type SmsBook = {
  apiKey: string;
  senders: string[];
  lastId: number;
  messages: { id: string; to: string; state: string }[];
  /** `instead`: if set, the next message gets this answer and is not sent. */
  instead: FakeAnswer | null;
  /** `numbers`: the JSON type of message ids in answers. */
  numbers: 'text' | 'integer';
};

type SmsFakeParts<Book extends SmsBook> = {
  title: string;
  book: Book;
  intercept(request: FakeRequest): FakeAnswer | null;
  /** `routes`: the API by method and path. `POST` sends a message, unless `book.instead` has the answer. */
  routes: Record<string, (request: FakeRequest) => FakeAnswer>;
  notFound: FakeAnswer;
  textOf(message: Book['messages'][number]): string;
  /** `waiting`: the state of an undelivered message. The page's buttons set the other states. */
  waiting: string;
  buttons: Record<string, string>;
};

export function startSmsFake<Book extends SmsBook>(parts: SmsFakeParts<Book>, port?: number): Promise<Fake<Book>> {
  const { book, textOf, waiting, buttons } = parts;
  const routes = Object.entries(parts.routes).map(([route, handle]) => [
    route,
    (request: FakeRequest) => writeNumbers(book, handle(request)),
  ]);
  return startFake(
    {
      ...parts,
      account: (baseUrl) => ({ settings: { sender: book.senders[0], baseUrl }, secrets: { apiKey: book.apiKey } }),
      routes: Object.fromEntries(routes),
      rows: () =>
        book.messages.map((message) => {
          const { id, to, state } = message;
          const actions = state === waiting ? Object.keys(buttons) : [];
          return { id, what: `${to}: ${textOf(message)}`, state, actions };
        }),
      act(id, action) {
        const message = book.messages.find((one) => one.id === id);
        if (message?.state === waiting) message.state = buttons[action] ?? waiting;
      },
    },
    port,
  );
}

/** Returns and removes the answer that the next message gets instead of the usual one. */
export function takeInstead(book: SmsBook): FakeAnswer | null {
  const { instead } = book;
  book.instead = null;
  return instead;
}

/** Writes message ids as JSON integers that are too large for a JavaScript number and for JSON.stringify. */
function writeNumbers({ numbers }: SmsBook, answer: FakeAnswer): FakeAnswer {
  if (numbers === 'text' || typeof answer.body === 'string') return answer;
  const names = /"((?:message_|parent_)?id|segments|parts)":"(\d+)"/g;
  return { ...answer, body: JSON.stringify(answer.body)?.replace(names, '"$1":$2') };
}
