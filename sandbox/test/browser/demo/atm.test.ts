// The sandbox's cash machine in a browser.
// Its faults and refusals are tested over HTTP (sandbox/test/api/demo/atm.test.ts).
import { expect } from '../../../../test/support/expect.ts';
import { describe, test } from 'vitest';
import { until } from '../../../../test/support/app.ts';
import { untilStatus } from '../../../../test/support/payments.ts';
import { AtmPage } from '../../../../test/browser/pages/atm.ts';
import { openBrowserFixture, type VisitOptions } from '../../../../test/support/browser-fixture.ts';

const fixture = openBrowserFixture();
const PLAIN: VisitOptions = { javaScriptEnabled: false };
const BOTH: [string, VisitOptions][] = [
  ['with JavaScript', {}],
  ['without JavaScript', PLAIN],
];

type Made = { internalId: string; entity: string; reference: string };

/** Creates a reference of the demo merchant and waits for its registration. */
async function createReference(changes: Record<string, unknown> = {}): Promise<Made> {
  const body = { amount: 1500, description: 'Propina de Março', ...changes };
  const created = await fixture.app.call('/api/references/ppr', { body });
  if (created.status !== 201) throw new Error(`not created: ${created.status} ${created.text}`);
  const { reference } = created.json;
  return until(async () => {
    const { json } = await fixture.app.call(`/api/references/ppr/${reference}`);
    return json.registeredAt ? json : null;
  }, `reference ${reference} being registered`);
}

/** The amount that the gateway has received for a reference. */
async function countReceived({ internalId }: Made): Promise<number> {
  const { json } = await fixture.app.call(`/api/payments/${internalId}`);
  return json.transactions.length;
}

const spread = (digits: string) => digits.replace(/(\d{3})(?=\d)/g, '$1 ');

describe('the cash machine', () => {
  test.each(BOTH)('finds, shows and pays a reference %s', async (_, options) => {
    const made = await createReference();
    const atm = new AtmPage(await fixture.visit(options));
    await atm.open(fixture.app);
    await expect(atm.entity).toHaveValue('00999');
    await atm.find(made.entity, '999999999');
    await expect(atm.reference).toHaveAccessibleDescription(/^Não conhecemos esta referência/);
    await atm.find(` ${made.entity} `, spread(made.reference));
    for (const text of ['Loja da Ilha', 'Propina de Março', spread(made.reference)]) {
      await expect(atm.page.getByText(text)).toBeVisible();
    }
    await atm.pay('1 500,00 Kz');
    await atm.expectOutcome('Pagamento feito');
    const seen = [spread(made.reference), '1 500,00 Kz', 'ATM 0000012345', 'Luanda Ilha'];
    for (const text of seen) await expect(atm.slips.getByText(text)).toBeVisible();
    await untilStatus(fixture.app, made.internalId, 'Paid');
    await atm.page.goBack();
    await atm.page.reload();
    await atm.expectOutcome('Já foi paga');
  });

  test('pays an open reference repeatedly with any amount on every channel', async () => {
    const made = await createReference({ referenceType: 'Charging', amount: 0 });
    const atm = new AtmPage(await fixture.visit({ ...PLAIN, expected: /400/ }));
    await atm.open(fixture.app, made);
    await atm.pay('1500 e 50');
    await expect(atm.amount).toHaveAccessibleDescription(/^Escreva um montante/);
    await expect(atm.amount).toHaveValue('1500 e 50');
    await atm.choosePlace('Aplicação');
    await atm.pay('20,50');
    await atm.expectOutcome('Pagamento feito');
    await expect(atm.slips.getByText('MB 0000000000')).toBeVisible();
    await atm.page.getByRole('link', { name: 'Pagar outra referência' }).click();
    await atm.choosePlace('Internet');
    await atm.find(made.entity, made.reference);
    await atm.pay('30');
    await expect(atm.slips.getByText('Internet', { exact: true })).toBeVisible();
    await until(async () => (await countReceived(made)) === 2, 'both payments being known');
  });
});

test('the cash machine is accessible at every step and in print', async () => {
  const made = await createReference({ amount: 9_999_999.99, description: 'Propina de Março, 11.ª classe, turma B' });
  const atm = new AtmPage(await fixture.visit({ expected: /400/ }));
  await atm.open(fixture.app);
  await atm.expectAccessible();
  await atm.expectFocusVisible();
  await atm.find('12', '3');
  await atm.expectAccessible();
  await atm.open(fixture.app, made);
  await atm.page.getByText('Avarias').click();
  await atm.expectAccessible();
  await atm.expectReadableEnlarged();
  await atm.pay('9 999 999,99 Kz');
  await atm.expectOutcome('Pagamento feito');
  await atm.expectAccessible();
  await atm.expectReadableEnlarged();
  await atm.page.emulateMedia({ media: 'print' });
  await expect(atm.slips).toBeVisible();
  await expect(atm.heading).toBeHidden();
  await atm.page.emulateMedia({ media: 'screen' });
  for (const place of ['Internet', 'Aplicação'] as const) {
    await atm.open(fixture.app, made);
    await atm.choosePlace(place);
    await atm.expectAccessible();
  }
});
