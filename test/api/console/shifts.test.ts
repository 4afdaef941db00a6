// The console's shifts: a cashier opens a shift, records cash, counts it and closes. Owners see all shifts.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { enterConsole, type Visit } from '../../support/console.ts';
import { addMember } from '../../support/members.ts';
import { cashierOf, charge, setTakesCash, type Cashier } from '../../support/shifts.ts';
import { travelToStatus } from '../../support/payments.ts';
import { DEMO } from '../../../sandbox/seed.ts';

const { merchantId } = DEMO;
const SHIFTS = '/console/shifts';

let app: TestApp;
let owner: Visit;
beforeAll(async () => {
  app = await startTestApp();
  owner = await enterConsole(app, await addMember(app, { merchantId }));
});

let cashier: Visit;
let caller: Cashier;
beforeEach(async () => {
  const member = await addMember(app, { merchantId, role: 'Cashier' });
  cashier = await enterConsole(app, member);
  caller = cashierOf(app, member);
  await setTakesCash(app, merchantId, true);
});

const plainOf = ({ text }: Reply) => text.replaceAll('\u00a0', ' ');

/** Opens the cashier's shift and returns the address of its screen. */
async function open(openingCash = '5.000'): Promise<string> {
  const reply = await cashier.act(SHIFTS, 'shiftOpen', { openingCash });
  expect(reply.status, reply.text).toBe(303);
  const [, id] = /href="\/console\/shifts\/([\w-]{36})"/.exec((await cashier.open(SHIFTS)).text) ?? [];
  return `${SHIFTS}/${id}`;
}

const record = (at: string, kind: string, amount: string) => cashier.act(at, 'shiftCash', { kind, amount, note: '' });
const close = (at: string, countedCash: string, visit = cashier) =>
  visit.act(at, 'shiftClose', { countedCash, note: 'Trocos' });

describe('the shift of a cashier', () => {
  test('shows money by method while it is open', async () => {
    const at = await open();
    const { id } = await charge(caller, '900000000', { amount: 1500 });
    await travelToStatus(app, id, 'Paid');
    const text = plainOf(await cashier.open(at));
    expect(text).toContain('<dt>Multicaixa Express (1)</dt><dd>1 500,00 Kz</dd>');
    expect(plainOf(await cashier.open(SHIFTS))).toContain('1 500,00 Kz');
  });

  test('hides the expected cash until the close, and then shows the difference', async () => {
    const at = await open();
    for (const [kind, amount] of [
      ['sale', '3200'],
      ['in', '1.000'],
      ['out', '500'],
    ] as const)
      expect((await record(at, kind, amount)).status).toBe(303);
    const before = plainOf(await cashier.open(at));
    expect(before).toContain('3 200,00 Kz');
    expect(before).not.toContain('8 700,00 Kz');
    expect((await close(at, '8.650,50')).status).toBe(303);
    const sheet = plainOf(await cashier.open(at));
    for (const shown of ['5 000,00 Kz', '−500,00 Kz', '8 700,00 Kz', '8 650,50 Kz', '−49,50 Kz', 'Trocos'])
      expect(sheet).toContain(shown);
    expect(plainOf(await cashier.open(SHIFTS))).toContain('Faltam 49,50 Kz');
  });

  test('keeps its opening cash when a second device sends the form, which says so', async () => {
    await open('5.000');
    const reply = await cashier.act(SHIFTS, 'shiftOpen', { openingCash: '2.000' });
    const text = plainOf(await cashier.open(reply.headers.get('location')!));
    expect(text).toContain('O seu turno já estava aberto desde');
    expect(text).toContain('O fundo de caixa continua a ser 5 000,00 Kz.');
    expect(text).toContain('<dt>Fundo de caixa</dt><dd>5 000,00 Kz</dd>');
    expect(text).not.toContain('2 000,00 Kz');
  });

  test('reports a new shift when the browser sends the form twice', async () => {
    const fields = { openingCash: '5.000', key: crypto.randomUUID() };
    const locations = [];
    for (let nth = 0; nth < 2; nth++)
      locations.push((await cashier.act(SHIFTS, 'shiftOpen', fields)).headers.get('location'));
    expect(locations).toEqual(Array(2).fill(`${SHIFTS}?done=shiftOpen`));
  });

  test('has its date on the bar of the till unless it is of today', async () => {
    const at = await open();
    expect((await cashier.open('/console/charge')).text).toMatch(/Turno desde \d\d:\d\d ·/);
    await app.sql(`update shifts set opened_at = '2026-01-30T08:00:00Z' where id = $1`, [at.split('/').at(-1)]);
    expect((await cashier.open('/console/charge')).text).toContain('Turno desde 30/01/2026 09:00 ·');
  });

  test('requires the counted cash', async () => {
    const at = await open();
    const { status, text } = await close(at, '');
    expect(status).toBe(400);
    expect(text).toContain('id="shiftClose-countedCash-error"');
  });

  test('has no fields for cash in a shop without cash', async () => {
    await setTakesCash(app, merchantId, false);
    expect((await cashier.open(SHIFTS)).text).not.toContain('name="openingCash"');
    const at = await open('');
    const { text } = await cashier.open(at);
    expect(text).not.toContain('name="countedCash"');
    expect((await cashier.act(at, 'shiftClose', { note: '' })).status).toBe(303);
    expect((await cashier.open(at)).text).not.toContain('Dinheiro contado');
  });

  test('shows the result of the first close to the second one', async () => {
    const at = await open();
    await close(at, '5000');
    const { status, text } = await close(at, '4000');
    expect(status).toBe(409);
    expect(text).toContain('Este turno já está fechado.');
    expect(text).toContain('Fecho do turno');
    expect(plainOf({ text } as Reply)).not.toContain('4 000,00 Kz');
  });

  test('opens for an owner, and returns 404 to another cashier', async () => {
    const at = await open();
    const other = await enterConsole(app, await addMember(app, { merchantId, role: 'Cashier' }));
    expect((await other.open(at)).status).toBe(404);
    expect((await other.open(SHIFTS)).text).not.toContain(at);
    expect((await owner.open(SHIFTS)).text).toContain(at);
    expect((await close(at, '5000', owner)).status).toBe(303);
    const file = await owner.open(`${SHIFTS}.csv?user=${caller.userId}`);
    expect([file.status, file.text.trim().split('\n').length]).toEqual([200, 2]);
  });
});
