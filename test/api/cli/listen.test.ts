import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { startCli, startHere, stopClis, type RunningCli } from '../../support/cli.ts';
import { freshDatabase } from '../../support/database.ts';
import { create, purchase, travelToStatus } from '../../support/payments.ts';
import { createPayable, createReference, pay, PPR, untilRegistered } from '../../support/ppr.ts';
import { createCode, scanCode } from '../../support/qrcodes.ts';
import {
  ACCESS_KEY,
  RECEIVER_ENV,
  startReceiver,
  CONFIRMATION,
  type Receiver,
  type ReceiverAnswer,
} from '../../support/receiver.ts';

let app: TestApp;
let program: Receiver;

beforeAll(async () => {
  program = await startReceiver();
  app = await startTestApp({ env: RECEIVER_ENV });
});

beforeEach(() => {
  program.requests.length = 0;
  program.answerWith(CONFIRMATION);
});

afterEach(stopClis);

/** Starts `listen` and resolves once the command receives new events. */
async function listen(...flags: string[]): Promise<RunningCli> {
  const cli = startHere(['listen', '--url', app.url, '--forward-to', `${program.url}/local`, ...flags]);
  await cli.untilSaid(/"listening"|Ctrl-C ends/);
  return cli;
}

const linesOf = (cli: RunningCli, pattern: RegExp) =>
  cli
    .stdout()
    .split('\n')
    .filter((line) => pattern.test(line));

/** Creates a reference of the demo merchant and pays it. */
async function sellReference(changes: Record<string, unknown> = {}): Promise<any> {
  const made = await createPayable(app, changes);
  await pay(app, made);
  return made;
}

describe('`listen`', () => {
  test('forwards a paid reference and a paid QR code once each, with the same body as the endpoint', async () => {
    const endpoint = await startReceiver();
    const [{ merchant_id: merchantId }] = await app.sql(`select merchant_id from clients where id = 'demo'`);
    const path = `/api/merchants/${merchantId}/callback`;
    const body = { url: `${endpoint.url}/real`, accessKey: ACCESS_KEY };
    expect((await app.call(path, { method: 'PUT', body })).status).toBe(200);
    const cli = await listen('--access-key', 'local-key');
    const { reference, internalId } = await sellReference({ amount: 1500.5 });
    const [ppr] = await program.received(1);
    await endpoint.received(1);
    const code = await createCode(app);
    expect((await scanCode(app, code.content)).status).toBe(201);
    const [, qr] = await program.received(2);
    const real = await endpoint.received(2);
    // Another test's server may get the port of a stopped endpoint, and must receive no callbacks of this file.
    await app.call(path, { method: 'DELETE' });
    await endpoint.stop();

    expect([ppr?.body, qr?.body]).toEqual(real.map((request) => request.body));
    expect(ppr?.json).toMatchObject({ refPagamento: reference, montantePago: 1500.5 });
    expect(qr?.json).toMatchObject({ merchantReferenceNumber: code.reference, status: 'ACCEPTED' });
    const { json } = await app.call(`/api/callbacks?paymentId=${internalId}`);
    expect(ppr).toMatchObject({
      method: 'POST',
      path: '/local',
      headers: {
        'access-key': 'local-key',
        'content-type': 'application/json',
        'balcao-delivery': json.data[0].id,
        'balcao-attempt': '1',
      },
    });
    expect(real.map(({ headers }) => headers['access-key'])).toEqual([ACCESS_KEY, ACCESS_KEY]);
    await until(() => linesOf(cli, /→/).length === 2, 'a line for each');
    expect(linesOf(cli, /callback\.ppr {2}\d{9} {2}1500\.5 AOA {2}→ 200 Success$/)).toHaveLength(1);
    expect(linesOf(cli, /callback\.qrcode .* {2}1500 AOA {2}→ 200 Success$/)).toHaveLength(1);
    expect(await cli.interrupt()).toMatchObject({ code: 0, stderr: '' });
    expect(program.requests).toHaveLength(2);
  });

  test('forwards events of a merchant without endpoint, with a new access key at each start', async () => {
    const { clientId, secret, token } = await app.addMerchant({ entity: '00777' });
    const cli = await listen('--client-id', clientId, `--client-secret=${secret}`, '--json');
    const made = await createReference(app, {}, { token });
    await untilRegistered(app, made.reference, token);
    await pay(app, made);
    const [request] = await program.received(1);
    const { json } = await app.call('/api/callbacks', { token });
    expect(json.data).toMatchObject([{ status: 'Skipped', kind: 'callback' }]);
    await until(() => linesOf(cli, /"outcome"/).length === 1, 'its line');
    const [start, line] = cli
      .stdout()
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text));
    expect(start).toMatchObject({ listening: app.url, clientId, accessKey: expect.stringMatching(/^[\w-]{24}$/) });
    expect(request?.headers['access-key']).toBe(start.accessKey);
    expect(line).toMatchObject({ deliveryId: json.data[0].id, outcome: 'delivered', status: 200, body: request?.json });
  });

  test('forwards both payments of a reference paid twice, but no purchase and no legacy reference', async () => {
    const cli = await listen();
    const { internalId } = await create(app, purchase('900000000'));
    await travelToStatus(app, internalId, 'Paid');
    const legacy = await createReference(app, {}, { path: `${PPR}/legacy` });
    await pay(app, await untilRegistered(app, legacy.reference));
    const twice = await createPayable(app);
    await pay(app, twice, { fault: 'twice' });
    await program.received(2);
    const { reference } = await sellReference();
    const bodies = (await program.received(3)).map(({ json }) => json);
    expect(bodies.map(({ refPagamento }) => refPagamento)).toEqual([twice.reference, twice.reference, reference]);
    expect(new Set(bodies.map(({ Id }) => Id)).size).toBe(3);
    await cli.interrupt();
    expect(program.requests).toHaveLength(3);
  });

  test('forwards earlier events with --after', async () => {
    const { next } = (await app.call('/api/events?after=now')).json;
    const { reference, internalId } = await sellReference();
    await until(async () => (await app.call('/api/callbacks')).json.data[0].paymentId === internalId, 'its callback');
    await listen('--after', next);
    const [request] = await program.received(1);
    expect(request?.json.refPagamento).toBe(reference);
  });

  test('forwards one event of a payment that was paid and overpaid', async () => {
    const cli = await listen();
    const more = await createPayable(app);
    await pay(app, more, { fault: 'wrong_amount', amount: '2000.00' });
    const { json } = await until(async () => {
      const history = await app.call(`/api/payments/${more.internalId}/events`);
      const types = history.json.data.map(({ type }: { type: string }) => type);
      return types.includes('payment.paid') && types.includes('payment.overpaid') && history;
    }, 'both events');
    const ids = json.data.flatMap(({ details }: any) => details.transactionId ?? []);
    expect(new Set(ids).size).toBe(1);
    const { reference } = await sellReference();
    const requests = await program.received(2);
    expect(requests.map((request) => request.json.refPagamento)).toEqual([more.reference, reference]);
    await cli.interrupt();
    expect(program.requests).toHaveLength(2);
  });
});

describe('`listen` after a failure', () => {
  test('reports that the program does not answer, and continues', async () => {
    const away = `http://127.0.0.1:${await freePort()}`;
    const cli = startHere(['listen', '--url', app.url, '--forward-to', `${away}/hook`]);
    await cli.untilSaid(/Ctrl-C ends/);
    await Promise.all([sellReference(), sellReference()]);
    const isReported = () => linesOf(cli, /→ not delivered: no program answers at http:/).length === 2;
    await until(isReported, 'both events being reported');
    expect(await cli.interrupt()).toMatchObject({ code: 0 });
  });

  test('reports each response of the program that confirms nothing, and continues', async () => {
    const answers: [ReceiverAnswer, RegExp][] = [
      [{ status: 500, body: 'broken\nhere' }, /→ 500, not confirmed: broken here$/m],
      [{ body: { Success: false } }, /→ 200, not confirmed: .* not \{"Success":false\}$/m],
      [{}, /→ 200, not confirmed: .* not nothing$/m],
      ['drop', /→ not confirmed: connection/],
      [{ body: { success: true } }, /→ 200 Success$/m],
    ];
    program.answerWith((_request, nth) => answers[nth - 1]![0]);
    const cli = await listen();
    await Promise.all(answers.map(() => sellReference()));
    for (const [, expected] of answers) await cli.untilSaid(expected);
    expect(program.requests).toHaveLength(answers.length);
    expect(cli.isRunning()).toBe(true);
  });

  test('ends immediately on Ctrl-C, even while the program has not answered', async () => {
    program.answerWith('hang');
    // Ctrl-C reaches only a process as a signal.
    const cli = startCli(['listen', '--url', app.url, '--forward-to', `${program.url}/local`]);
    await cli.untilSaid(/Ctrl-C ends/);
    await sellReference();
    await program.received(1);
    const { code, stdout } = await cli.interrupt();
    expect(code).toBe(0);
    expect(stdout).toMatch(/→ not confirmed: connection\n$/);
  });

  test('reconnects after a stop of the gateway, and neither loses nor repeats an event', async () => {
    const database = await freshDatabase();
    const env = { ...RECEIVER_ENV, PORT: String(await freePort()) };
    const shared = app;
    try {
      app = await startTestApp({ databaseUrl: database.url, env });
      const cli = await listen();
      const first = await sellReference();
      await program.received(1);
      await app.stop();
      await cli.untilSaid(/The gateway failed: .* Next try in 1 s/);
      app = await startTestApp({ databaseUrl: database.url, env });
      const second = await sellReference();
      await cli.untilSaid(/The gateway answers again\./);
      const third = await sellReference();
      const requests = await program.received(3);
      const expected = [first, second, third].map(({ reference }) => reference);
      expect(requests.map(({ json }) => json.refPagamento)).toEqual(expected);
      expect(await cli.interrupt()).toMatchObject({ code: 0 });
      expect(program.requests).toHaveLength(3);
    } finally {
      await app.stop();
      app = shared;
      await database.drop();
    }
  });

  test('ends with exit code 1 when its API client is deleted', async () => {
    const { clientId, secret } = await app.addMerchant({ entity: '00776' });
    const cli = await listen('--client-id', clientId, `--client-secret=${secret}`);
    await app.sql('delete from clients where id = $1', [clientId]);
    await app.clock.pass(61_000);
    const { code, stderr } = await cli.ended;
    expect(code).toBe(1);
    expect(stderr).toContain(`refuses the credentials of ${clientId}`);
  });
});

describe('`listen` at its start', () => {
  test('ends with exit code 1 for wrong credentials', async () => {
    const cli = startHere(['listen', '--url', app.url, '--forward-to', program.url, '--client-secret', 'wrong']);
    const { code, stdout, stderr } = await cli.ended;
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe('The gateway refuses the credentials of demo: client authentication failed.\n');
  });

  test('ends with exit code 1 if its client lacks the scope', async () => {
    const { clientId, secret } = await app.addMerchant({ entity: '00775', scopes: ['payments:write'] });
    const flags = ['--client-id', clientId, `--client-secret=${secret}`];
    const cli = startHere(['listen', '--url', app.url, '--forward-to', program.url, ...flags]);
    const { code, stderr } = await cli.ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/403 insufficient_scope/);
  });

  test('ends with exit code 1 if no gateway answers', async () => {
    const cli = startHere(['listen', '--url', program.url, '--forward-to', program.url]);
    const { code, stderr } = await cli.ended;
    expect(code).toBe(1);
    expect(stderr).toContain('Is that a Balcão gateway?');
  });
});
