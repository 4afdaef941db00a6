import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { addUnits, minuteOf, readBooks, sendText } from '../../support/sms.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const PHONES = ['923000001', '923000002', '900000001', '900000002', '900000003', '900000006', '900000008'];

const step = fc.oneof(
  fc.record({ kind: fc.constant('send' as const), to: fc.subarray(PHONES, { minLength: 1 }), length: fc.nat(400) }),
  fc.record({ kind: fc.constant('schedule' as const), to: fc.subarray(PHONES, { minLength: 1 }), length: fc.nat(200) }),
  fc.record({ kind: fc.constant('cancel' as const), nth: fc.nat(5) }),
  fc.record({ kind: fc.constant('credit' as const), units: fc.integer({ min: 1, max: 20 }) }),
  fc.record({ kind: fc.constant('pass' as const), seconds: fc.constantFrom(1, 2, 30, 150) }),
);

test('the balance plus the units of all SMS equals the credits after any history', { timeout: 240_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { maxLength: 8 }), async (rounds) => {
      const { merchantId, token } = await app.addMerchant();
      let credited = 0;
      const schedules: string[] = [];
      const later = () => minuteOf(new Date(app.clock.now().getTime() + 2 * 60_000));
      const run = async (one: typeof step extends fc.Arbitrary<infer T> ? T : never) => {
        if (one.kind === 'send') await sendText(app, one.to, 'x'.repeat(one.length + 1), { token });
        if (one.kind === 'credit') {
          credited += one.units;
          await addUnits(app, merchantId, one.units);
        }
        if (one.kind === 'schedule') {
          const body = { numerosDestino: one.to, conteudo: 'x'.repeat(one.length + 1), ...later() };
          const { json } = await app.call('/api/Envio/agendarSms', { body, token });
          if (json.agendamentoId) schedules.push(json.agendamentoId);
        }
        const id = one.kind === 'cancel' ? schedules[one.nth] : undefined;
        if (id) await app.call(`/api/Envio/CancelarAgendamento/${id}`, { method: 'DELETE', token });
        if (one.kind === 'pass') {
          app.clock.leap(one.seconds * 1_000);
          await app.clock.advance(1_000);
        }
      };
      // The steps of one round run at the same time.
      for (const round of rounds) {
        await Promise.all(round.map(run));
        const { balance, held } = await readBooks(app, merchantId);
        expect(balance + held).toBe(credited);
      }
      for (let nth = 0; nth < 3; nth++) {
        app.clock.leap(200_000);
        await app.clock.advance(2_000);
      }
      const count = `select count(*)::int as count from sms_messages where merchant_id = $1 and status = 'Pending'`;
      for (let nth = 0; nth < 200 && (await app.sql(count, [merchantId]))[0].count > 0; nth++)
        await app.clock.advance(1_000);
      const { balance, held } = await readBooks(app, merchantId);
      expect(balance + held).toBe(credited);
    }),
    { numRuns: 12 },
  );
});
