// What an answer says of a reference and of its payment was true at one moment: never the one before and the other after a change.
import { beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { cancel, createPayable, pay, PPR } from '../../../support/ppr.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

/** Reads by every endpoint, again and again, until the reference has ended; answers each pair of statuses that was seen. */
async function watch(made: any): Promise<Set<string>> {
  const seen = new Set<string>();
  const paths = [`${PPR}/${made.reference}`, `/api/payments/${made.reference}`, `${PPR}?pageSize=100`];
  const look = async (path: string) => {
    for (let isOver = false; !isOver;) {
      const { json } = await app.call(path);
      const { status, referenceStatus } = json.data?.find((item: any) => item.reference === made.reference) ?? json;
      seen.add(`${status} ${referenceStatus}`);
      isOver = status !== 'Pending' && referenceStatus !== 'Pending';
    }
  };
  await Promise.all(paths.map(look));
  return seen;
}

test.each([
  ['paid', 'Paid Paid', (made: any) => pay(app, made)],
  ['canceled', 'Canceled Canceled', (made: any) => cancel(app, made.reference)],
])('while Dynamic ones are %s', async (_end, after, finish) => {
  for (let n = 0; n < 15; n++) {
    const made = await createPayable(app);
    const [seen] = await Promise.all([watch(made), finish(made)]);
    expect([...seen].filter((pair) => pair !== 'Pending Pending')).toEqual([after]);
  }
});
