// Drives the TypeScript client: reads a question a line from standard input, and writes an answer a line.
import { createInterface } from 'node:readline';
import { amountOf, Balcao, isBalcaoError, verifyCallback, verifyWebhook } from '../../../packages/client/src/balcao.ts';
import { answerNotification } from '../../../packages/client/src/handlers.ts';

let balcao: Balcao;

/** The client takes numbers. The cases also have decimal text, which a shop in TypeScript converts by `amountOf`. */
const withNumbers = (given: unknown): unknown =>
  given && typeof given === 'object' && 'amount' in given && typeof given.amount === 'string'
    ? { ...given, amount: amountOf(given.amount) }
    : given;

function call({ operation, arguments: given, options = {} }: any): any {
  const [group, name] = operation.split('.');
  return (balcao as any)[group][name](...given.map(withNumbers), options);
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

function handlerOf(handler: any): (() => unknown) | undefined {
  if (handler === 'missing') return undefined;
  return () => {
    if (handler === 'throws') throw new Error('the shop failed');
    return handler.returns;
  };
}

const ANSWERS: Record<string, (question: any) => unknown> = {
  new({ url, clientId, clientSecret, timeout = 30 }) {
    balcao = new Balcao({ url, clientId, clientSecret, deadlineMs: timeout * 1000 });
    return true;
  },
  async call(question) {
    const result = await call(question);
    return new Tagged(result, result && balcao.etagOf(result));
  },
  all: (question) => collect(call(question)),
  waitUntilPaid: ({ paymentId, timeout }) => balcao.payments.waitUntilPaid(paymentId, { deadlineMs: timeout * 1000 }),
  async verifyCallback({ headers, body, accessKey }) {
    const { body: _, ...callback } = await verifyCallback({ headers, body }, accessKey);
    return callback;
  },
  verifyWebhook: ({ headers, body, secret }) => verifyWebhook({ headers, body }, secret),
  answerCallback({ headers, body, accessKey, webhookSecret, handler }) {
    const run = handlerOf(handler);
    const handlers = run && { onCallback: run, onEvent: run };
    const options = { accessKey, webhookSecret, onError: () => {}, ...handlers };
    return answerNotification({ headers, body }, options);
  },
  readFeed: ({ after }) => collect(balcao.events.list({ after })),
};

class Tagged {
  readonly result: unknown;
  readonly etag: unknown;
  constructor(result: unknown, etag: unknown) {
    [this.result, this.etag] = [result, etag];
  }
}

function describeError(error: any): object {
  if (!isBalcaoError(error)) return { code: '', status: 0, message: String(error?.message), pointers: [] };
  const { code, status, message, errors } = error;
  return { code, status, message, pointers: errors };
}

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, ...question } = JSON.parse(line);
  const outcome = await Promise.resolve()
    .then(() => ANSWERS[question.do]!(question))
    .then(
      (result) => (result instanceof Tagged ? result : { result }),
      (error: unknown) => ({ error: describeError(error) }),
    );
  process.stdout.write(`${JSON.stringify({ id, ...outcome })}\n`);
});
