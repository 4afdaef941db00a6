// The common part of the SMS fakes: start, HTML page, and message ids as large integers.
import type { Clock } from '../../server/clock.ts';
import { startFake, type Fake, type FakeAnswer, type FakeRequest } from './fake.ts';

type Book = { messages: { id: string; to: string; state: string }[]; numbers: 'text' | 'integer' };

type SmsFakeParts<B extends Book> = {
  title: string;
  book: B;
  clock: Clock;
  port?: number | undefined;
  answer(request: FakeRequest, now: Date): FakeAnswer;
  textOf(message: B['messages'][number]): string;
  /** `waiting`: the state of an undelivered message. The page's buttons set the other states. */
  waiting: string;
  buttons: Record<string, string>;
};

export async function startSmsFake<B extends Book>(parts: SmsFakeParts<B>): Promise<Fake & { book: B }> {
  const { title, book, clock, port = 0, textOf, waiting, buttons } = parts;
  const fake = await startFake(
    {
      title,
      answer: (request) => writeNumbers(book, parts.answer(request, clock.now())),
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
  return Object.assign(fake, { book });
}

/** Writes message ids as JSON integers that are too large for a JavaScript number and for JSON.stringify. */
function writeNumbers({ numbers }: Book, answer: FakeAnswer): FakeAnswer {
  if (numbers === 'text' || typeof answer.body === 'string') return answer;
  const names = /"((?:message_|parent_)?id|segments|parts)":"(\d+)"/g;
  return { ...answer, body: JSON.stringify(answer.body)?.replace(names, '"$1":$2') };
}
