// What a screen reader says of the checkout: in which order it reads a screen, what it is told of by itself, and how often.
import type { Page } from 'playwright';
import { expect } from '../../support/expect.ts';
import { describe, expect as expectValue, test } from 'vitest';
import { openForm, openWaiting } from '../../screens/checkout-fixture.ts';
import { pushes } from '../../screens/pushes.ts';
import { references } from '../../screens/references.ts';
import { withBrand } from '../../screens/brand.ts';
import { answerPush } from '../pages/phone.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();

/** Roles that are read out with a name of their own. */
const READ = new Set([
  'heading',
  'textbox',
  'button',
  'link',
  'image',
  'timer',
  'term',
  'definition',
  'paragraph',
  'listitem',
]);

/** What may hold more than words: a link in a sentence is a stop of its own too. */
const PARTED = new Set(['paragraph', 'listitem', 'definition']);

/** What a screen reader reads from top to bottom, in words of the accessibility tree: `heading Pago`. */
async function readAloud(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  await session.detach();
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const said: string[] = [];
  const textOf = (id: string): string => {
    const node = byId.get(id);
    if (node?.role?.value === 'StaticText') return String(node.name?.value ?? '');
    return (node?.childIds ?? []).map(textOf).join('');
  };
  const read = (id: string): void => {
    const node = byId.get(id);
    if (!node) return;
    const role = String(node.role?.value ?? '');
    // Amounts are kept on one line by spaces that do not break.
    const name = (String(node.name?.value ?? '') || textOf(id)).replaceAll('\u00a0', ' ');
    if (!node.ignored && READ.has(role)) {
      if (name.trim()) said.push(`${role} ${name.trim()}`);
      if (!PARTED.has(role)) return;
    }
    node.childIds?.forEach(read);
  };
  read(nodes[0]!.nodeId);
  return said;
}

describe('from top to bottom', () => {
  test('the form: whose, how much and what for, before what is to be done', async () => {
    const { checkout, payment } = await openForm(fixture);
    expectValue(await readAloud(checkout.page)).toEqual([
      'paragraph Loja da Ilha',
      'paragraph 12 500,00 Kz',
      'paragraph Pano samakaka, algodão estampado',
      `paragraph Referência ${payment.reference}`,
      'heading Pague com Multicaixa Express',
      'textbox Número de telemóvel',
      'paragraph O número que usa no Multicaixa Express.',
      'button Pagar 12 500,00 Kz',
      expectValue.stringMatching(/^paragraph Recebe um pedido .* Pode pagar até às \d\d:\d\d\.$/),
      'link Números de teste',
      'link Voltar à loja sem pagar',
      'link Português',
      'link English',
      'link Français',
      'link Os seus dados',
      'paragraph Balcão',
    ]);
  });

  test('while the phone is asked: the time, the state, the steps in their order', async () => {
    const said = (await readAloud((await openWaiting(fixture)).checkout.page)).slice(4, 9);
    expectValue(said).toEqual([
      'timer Tempo que resta para confirmar',
      'heading Confirme o pagamento no seu telemóvel',
      expectValue.stringMatching(/^listitem .*Abra o pedido do Multicaixa Express no 92\d ••• \d{3}\.$/),
      expectValue.stringMatching(/^listitem .*Compare o comerciante e o montante\.$/),
      expectValue.stringMatching(/^listitem .*Confirme com o seu PIN\.$/),
    ]);
  });

  test('a reference: each label before its digits, and beside them what copies them', async () => {
    const { page } = await references['reference']!(fixture);
    const said = await readAloud(page);
    const at = said.indexOf('term Entidade');
    expectValue(said.slice(at, at + 4)).toEqual([
      'term Entidade',
      'definition 00999',
      'definition CopiarEntidade',
      'button Copiar Entidade',
    ]);
    expectValue(said.indexOf('heading Pague por referência')).toBeLessThan(at);
    expectValue(said.indexOf('heading Onde pagar')).toBeGreaterThan(said.indexOf('term Pagar até'));
  });

  test('a receipt: the outcome, then its lines, then the ways on', async () => {
    const said = await readAloud((await pushes['paid']!(fixture)).page);
    const [outcome, first, keep, back] = [
      said.indexOf('heading Pago'),
      said.indexOf('term Referência'),
      said.indexOf('button Imprimir ou guardar'),
      said.indexOf('link Voltar à loja'),
    ];
    expectValue([outcome, first, keep, back]).toEqual([outcome, first, keep, back].toSorted((a, b) => a - b));
    expectValue(outcome).toBeGreaterThan(0);
  });

  test('a merchant with a logo is named once', async () => {
    const { checkout } = await withBrand(fixture, '#0a7d4b', () => openForm(fixture));
    await expect(checkout.main.locator('img.logo')).toBeVisible();
    const said = await readAloud(checkout.page);
    expectValue(said.filter((each) => each.includes('Loja da Ilha'))).toEqual(['paragraph Loja da Ilha']);
    expectValue(said.filter((each) => each.startsWith('image'))).toEqual([]);
  });
});

/** The names of what Tab leads to, in that order, until it leaves the page. */
async function readStops(page: Page): Promise<string[]> {
  const stops: string[] = [];
  for (;;) {
    await page.keyboard.press('Tab');
    const stop = await page.evaluate(() => {
      const { activeElement } = document;
      if (!activeElement || activeElement === document.body) return null;
      const { labels, textContent } = activeElement as HTMLInputElement;
      return (labels?.[0]?.textContent ?? textContent ?? '').replaceAll('\u00a0', ' ');
    });
    if (stop === null || stops.includes(stop)) return stops;
    stops.push(stop);
  }
}

const FOOT = ['Português', 'English', 'Français', 'Os seus dados'];

describe('Tab leads through a screen as it is read', () => {
  test.each([
    ['form', pushes, ['Número de telemóvel', 'Pagar 12 500,00 Kz', 'Números de teste', 'Voltar à loja sem pagar']],
    ['waiting', pushes, ['Atualizar', 'Abrir o telemóvel de teste']],
    ['paid', pushes, ['Imprimir ou guardar', 'Descarregar esta página', 'Voltar à loja']],
    ['canceled', pushes, ['Voltar à loja']],
    [
      'reference',
      references,
      [
        'Copiar Entidade',
        'Copiar Referência',
        'Copiar Montante',
        'Imprimir ou guardar',
        'Descarregar esta página',
        'Pagar no caixa automático de teste',
        'Voltar à loja',
      ],
    ],
  ])('%s', async (name, states, stops) => {
    const { page } = await states[name]!(fixture);
    // From the top, wherever the way here has left the focus.
    await page.reload();
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await page.waitForLoadState('load');
    expectValue(await readStops(page)).toEqual([...stops, ...FOOT]);
  });
});

/** From now on keeps whatever is put into a live region: what is told without being asked for. */
async function rememberTold(page: Page) {
  await page.evaluate(() => {
    const told: string[] = [];
    Object.assign(window, { told });
    new MutationObserver((changes) => {
      const regions = new Set(
        changes.map(
          ({ target }) =>
            (target as Element).parentElement?.closest('[role=status], [role=alert], [aria-live]') ??
            (target as Element).closest?.('[role=status], [role=alert], [aria-live]'),
        ),
      );
      for (const region of regions) if (region?.textContent) told.push(region.textContent);
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
}

const readTold = (page: Page) => page.evaluate(() => (window as unknown as { told: string[] }).told);

describe('by itself', () => {
  test('each new state is told once, and a countdown never', async () => {
    const { checkout, number } = await openWaiting(fixture);
    const { page } = checkout;
    // A payer who reads elsewhere: the focus is not there to be moved.
    await page.getByRole('link', { name: 'English' }).focus();
    await rememberTold(page);
    const timer = page.getByRole('timer');
    const before = await timer.textContent();
    await expect(timer).not.toHaveText(before!);
    expectValue(await readTold(page)).toEqual([]);
    expectValue(await timer.getAttribute('aria-live')).toBeNull();
    await answerPush(fixture.app, number, 'decline');
    await checkout.expectTitle('Pagamento recusado no telemóvel');
    await checkout.payButton.focus();
    await page.keyboard.press('Enter');
    await checkout.expectWaiting();
    await page.getByRole('link', { name: 'English' }).focus();
    await answerPush(fixture.app, number, 'approve');
    await checkout.expectTitle('Pago');
    // The wait is told by the focus, which was on the button that went away.
    expectValue(await readTold(page)).toEqual(['Pagamento recusado no telemóvel', 'Pago']);
  });

  test('a network that went away is told once, and not again while it stays away', async () => {
    const { checkout } = await openWaiting(fixture);
    const { page } = checkout;
    await rememberTold(page);
    await page.route(/\/(session|events)\?/, (route) => route.abort());
    for (let times = 0; times < 3; times++) {
      const asked = page.waitForRequest(/\/session\?/);
      await page.evaluate(() => window.dispatchEvent(new Event('online')));
      await asked;
    }
    await expect(checkout.offlineNote).toBeInViewport();
    expectValue(await readTold(page)).toEqual([
      'Sem ligação: o pagamento continua; voltamos a verificar assim que houver rede.',
    ]);
  });

  test('a wrong number is told at its field, which has the focus', async () => {
    const { checkout } = await openForm(fixture);
    await checkout.pay('12');
    await expect(checkout.phone).toBeFocused();
    await expect(checkout.phone).toHaveAccessibleDescription(/^Escreva os 9 algarismos/);
  });
});
