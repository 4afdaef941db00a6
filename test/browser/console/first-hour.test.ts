// A new shop from its registration to its first payment, with the time that a person needs for it.
import type { Locator, Page } from 'playwright';
import { describe, expect as expectValue, test } from 'vitest';
import { openBrowserFixture, type VisitOptions } from '../../support/browser-fixture.ts';
import { expect } from '../../support/expect.ts';
import { linkIn, receiveMail } from '../../support/mail.ts';
import { travelUntil } from '../../support/payments.ts';
import { BasePage } from '../pages/base.ts';

const fixture = openBrowserFixture();
const PASSWORD = 'mulemba kitanda roxo 57';
/** The sandbox automatically approves pushes to this phone. */
const APPROVER = '900000000';

/** The operators of the Keystroke-Level Model in seconds: point and press, one key, and the thought before a step. */
const KLM = { press: 1.1, key: 0.2, thought: 1.35 };
const MOST_SECONDS = 180;

const VISITS: [name: string, options: VisitOptions][] = [
  ['on a phone', { viewport: { width: 360, height: 740 } }],
  ['on a phone without a script', { viewport: { width: 360, height: 740 }, javaScriptEnabled: false }],
  ['at a desk', { viewport: { width: 1280, height: 800 } }],
  ['at a desk without a script', { viewport: { width: 1280, height: 800 }, javaScriptEnabled: false }],
];

let count = 0;
const anyEmail = () => `ana${++count}@loja.example`;

/** Counts each press and each key of a person at a page. */
function watchPerson(page: Page) {
  const seen = { presses: 0, keys: 0 };
  return {
    seen,
    async press(target: Locator) {
      seen.presses++;
      await target.click();
    },
    async type(label: string, text: string) {
      seen.presses++;
      seen.keys += text.length;
      await page.getByLabel(label).fill(text);
    },
    seconds: () => seen.presses * (KLM.press + KLM.thought) + seen.keys * KLM.key,
  };
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const link = (page: Page, name: string) => page.getByRole('link', { name });
const enter = (options: VisitOptions, expected?: RegExp) =>
  fixture.visit({ ...options, cookies: ['balcao', 'balcao-new'], ...(expected && { expected }) });

describe.each(VISITS)('the first hour of a shop %s', (_name, options) => {
  test('takes less than three minutes from the registration to the first payment', async () => {
    const page = await enter(options);
    const person = watchPerson(page);
    const email = anyEmail();
    await page.goto(`${fixture.app.node.core.publicUrl}/console`);
    await person.press(link(page, 'Criar conta'));
    for (const [label, text] of [
      ['Nome', 'Ana'],
      ['Apelido', 'Domingos'],
      ['E-mail', email],
      ['Palavra-passe', PASSWORD],
    ] as const)
      await person.type(label, text);
    await person.press(button(page, 'Criar a conta'));
    await receiveMail(fixture.app, email);
    await person.press(link(page, 'Abrir o correio'));
    await person.press(page.getByRole('article').filter({ hasText: email }).getByRole('link').first());
    await person.press(button(page, 'Confirmar e entrar'));
    await person.type('Nome da loja', 'Panos da Ana');
    await person.press(button(page, 'Criar a loja'));
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Comece aqui');
    await expectStartTree(page);
    // The check needs a script.
    if (options.javaScriptEnabled !== false) await new BasePage(page).expectAccessible();
    await person.press(link(page, 'Fazer a primeira cobrança'));
    await person.type('Montante em kwanzas', '1500');
    await person.type('Telemóvel do cliente', APPROVER);
    await person.press(button(page, 'Cobrar'));
    await expect(page.locator('.huge')).toHaveText('1 500,00 Kz');
    await untilPaid(page);
    await expect(page.getByRole('heading', { name: 'Comprovativo' })).toBeVisible();
    expectValue(person.seen).toEqual({ presses: 15, keys: 59 + email.length });
    expectValue(person.seconds()).toBeLessThan(MOST_SECONDS);
    await page.goto(`${fixture.app.node.core.publicUrl}/console`);
    await expect(link(page, 'Comece aqui')).toHaveCount(0);
  });

  test('marks the wrong fields of each refused form, for a screen reader too', async () => {
    const page = await enter(options, /\b400\b/);
    const email = anyEmail();
    const main = page.getByRole('main');
    await page.goto(`${fixture.app.node.core.publicUrl}/account/register?lang=pt`);
    for (const [label, text] of [
      ['Nome', ' '],
      ['Apelido', 'Domingos'],
      ['E-mail', 'ana@loja'],
      ['Telemóvel', '12'],
      ['Palavra-passe', 'curta'],
    ] as const)
      await page.getByLabel(label).fill(text);
    await button(page, 'Criar a conta').click();
    await expectWrong(main, {
      Nome: 'Preencha este campo.',
      'E-mail': 'Escreva um e-mail, como ana@exemplo.ao.',
      'Telemóvel (opcional)': 'Escreva os 9 algarismos, a começar por 9.',
      'Palavra-passe': 'Use 12 a 128 caracteres.',
    });
    await page.getByLabel('Nome').fill('Ana');
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Telemóvel').fill('');
    await page.getByLabel('Palavra-passe').fill(PASSWORD);
    await button(page, 'Criar a conta').click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Veja o seu correio');

    const elsewhere = await enter(options, /\b400\b/);
    await elsewhere.goto(fixture.app.node.core.publicUrl + linkIn(await receiveMail(fixture.app, email)));
    await elsewhere.getByLabel('Palavra-passe').fill('curta');
    await button(elsewhere, 'Confirmar o e-mail').click();
    await expectWrong(elsewhere.getByRole('main'), { 'Palavra-passe': 'Use 12 a 128 caracteres.' });
    await elsewhere.getByLabel('Palavra-passe').fill(PASSWORD);
    await button(elsewhere, 'Confirmar o e-mail').click();

    await elsewhere.getByLabel('Nome da loja').fill(' ');
    await button(elsewhere, 'Criar a loja').click();
    await expectWrong(elsewhere.getByRole('main'), { 'Nome da loja': 'Preencha este campo.' });
    await elsewhere.getByLabel('Nome da loja').fill('Panos da Ana');
    await button(elsewhere, 'Criar a loja').click();
    await link(elsewhere, 'Fazer a primeira cobrança').click();
    await elsewhere.getByLabel('Montante em kwanzas').fill('1500');
    await elsewhere.getByLabel('Telemóvel do cliente').fill('12');
    await button(elsewhere, 'Cobrar').click();
    await expectWrong(elsewhere.getByRole('main'), {
      'Telemóvel do cliente': 'Escreva os 9 algarismos, a começar por 9.',
    });
  });
});

async function untilPaid(page: Page): Promise<void> {
  const id = page.url().split('/').at(-1)!.split('?')[0];
  const isPaid = async () =>
    (await fixture.app.sql(`select 1 from payments where id = $1 and status = 'Paid'`, [id])).length > 0;
  await travelUntil(fixture.app, isPaid, 'the payment being paid');
}

/** The start screen as a screen reader gets it. */
const START_TREE = `- main:
  - status:
    - paragraph: A sua loja está criada.
  - heading "Comece aqui" [level=1]
  - paragraph: "A sua loja já pode cobrar por: Multicaixa Express, Código QR e Referência."
  - paragraph: "Está no ambiente de testes: o dinheiro não é real. Cobre ao telemóvel 900 000 000, que paga sozinho em segundos."
  - link "Fazer a primeira cobrança":
    - /url: /console/charge
  - link "Ou crie um link de pagamento":
    - /url: /console/links
  - heading "Formas de pagamento" [level=2]
  - list:
    - listitem:
      - strong: Multicaixa Express
      - text: Pode cobrar
      - paragraph: O cliente confirma no telemóvel, na aplicação Multicaixa Express.
    - listitem:
      - strong: Código QR
      - text: Pode cobrar
      - paragraph: O cliente lê o código com a aplicação Multicaixa Express.
    - listitem:
      - strong: Referência
      - text: Pode cobrar
      - paragraph: O cliente paga com entidade e referência, no caixa automático ou na aplicação do banco.
  - heading "Depois, quando quiser" [level=2]
  - list:
    - listitem:
      - link "Ponha o logótipo e a cor da loja":
        - /url: /console/settings
    - listitem:
      - link "Indique o NIF da loja":
        - /url: /console/settings
    - listitem:
      - link "Convide a sua equipa":
        - /url: /console/team`;

async function expectStartTree(page: Page): Promise<void> {
  const tree = await page.getByRole('main').ariaSnapshot();
  expectValue(tree.replaceAll('\u00a0', ' ')).toBe(START_TREE);
}

/** Expects exactly these fields to be invalid, each described by its error. */
async function expectWrong(main: Locator, errors: Record<string, string>): Promise<void> {
  await expect(main.locator('[aria-invalid="true"]')).toHaveCount(Object.keys(errors).length);
  for (const [name, error] of Object.entries(errors)) {
    const field = main.getByLabel(name, { exact: true });
    await expect(field).toHaveAttribute('aria-invalid', 'true');
    await expect(field).toHaveAccessibleDescription(new RegExp(error.replaceAll(' ', String.raw`\s`)));
  }
  const tree = (await main.ariaSnapshot()).replaceAll('\u00a0', ' ');
  for (const [name, error] of Object.entries(errors)) {
    expectValue(tree).toContain(`textbox "${name}"`);
    expectValue(tree).toContain(`paragraph: ${error}`);
  }
}
