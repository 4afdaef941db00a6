// The accessibility tree of the checkout: its reading order, its tab order, and its announcements.
import type { Page } from 'playwright';
import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { openWaiting, type States } from '../../screens/checkout-fixture.ts';
import { pushes } from '../../screens/pushes.ts';
import { references } from '../../screens/references.ts';
import { answerPush } from '../pages/phone.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();

/** The roles of elements that a screen reader reads out by name. */
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

/** The roles that may contain others: a link in a sentence is also a Tab stop. */
const PARTED = new Set(['paragraph', 'listitem', 'definition']);

/** The lines of the accessibility tree from top to bottom, such as `heading Pago`. */
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
    // Amounts contain spaces that do not break.
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

/** The names of the Tab stops, in their order, until the focus leaves the page. */
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

/** For each screen: the lines in reading order, and the Tab stops before the footer. */
const SCREENS: [method: States, state: string, read: string[], stops: string[]][] = [
  [
    pushes,
    'form',
    [
      'paragraph Loja da Ilha',
      'paragraph 12 500,00 Kz',
      'paragraph Pano samakaka, algodão estampado',
      'paragraph Referência …',
      'heading Pague com Multicaixa Express',
      'textbox Número de telemóvel',
      'paragraph O número que usa no Multicaixa Express.',
      'button Pagar 12 500,00 Kz',
      'paragraph Recebe um pedido …',
      'link Números de teste',
      'link Voltar à loja sem pagar',
      'link Português',
      'link English',
      'link Français',
      'link Os seus dados',
      'paragraph Balcão',
    ],
    ['Número de telemóvel', 'Pagar 12 500,00 Kz', 'Números de teste', 'Voltar à loja sem pagar'],
  ],
  [
    pushes,
    'waiting',
    [
      'timer Tempo que resta para confirmar',
      'heading Confirme o pagamento no seu telemóvel',
      'listitem Abra o pedido do Multicaixa Express no …',
      'listitem Compare a loja e o montante.',
      'listitem Confirme com o seu PIN.',
    ],
    ['Actualizar', 'Abrir o telemóvel de teste'],
  ],
  [
    pushes,
    'paid',
    ['heading Pago', 'term Referência', 'button Imprimir ou guardar', 'link Voltar à loja'],
    ['Imprimir ou guardar', 'Descarregar esta página', 'Voltar à loja'],
  ],
  [
    references,
    'reference',
    [
      'heading Pague por referência',
      'term Entidade',
      'definition 00999',
      'definition CopiarEntidade',
      'button Copiar Entidade',
      'term Pagar até',
      'heading Onde pagar',
    ],
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
];

describe('a screen of the checkout', () => {
  test.each(SCREENS)(
    'has its reading order and its Tab order from top to bottom (%#: $1)',
    async (states, state, read, stops) => {
      const { page } = await states[state]!(fixture);
      // A reload puts the focus back to the top.
      await page.reload();
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await page.waitForLoadState('load');
      const said = (await readAloud(page)).map(shorten);
      expect(said.filter((line) => read.includes(line))).toEqual(read);
      if (state === 'form') expect(said).toEqual(read);
      expect(await readStops(page)).toEqual([...stops, ...FOOT]);
    },
  );
});

/** Removes the parts of a line that differ in each run, and the bullet or number of a list item. */
const shorten = (line: string) =>
  line
    .replace(/^listitem .*(?=(Abra|Compare|Confirme) )/, 'listitem ')
    .replace(/^(paragraph Referência|paragraph Recebe um pedido|.* Express no) .*/, '$1 …');

/** Records each text that appears in a live region. */
async function recordAnnounced(page: Page) {
  await page.evaluate(() => {
    const announced: string[] = [];
    Object.assign(window, { announced });
    new MutationObserver((changes) => {
      const regions = new Set(
        changes.map(
          ({ target }) =>
            (target as Element).parentElement?.closest('[role=status], [role=alert], [aria-live]') ??
            (target as Element).closest?.('[role=status], [role=alert], [aria-live]'),
        ),
      );
      for (const region of regions) if (region?.textContent) announced.push(region.textContent);
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
}

const readAnnounced = (page: Page) => page.evaluate(() => (window as unknown as { announced: string[] }).announced);

describe('a live region', () => {
  test('announces each new status once, and never the countdown', async () => {
    const { checkout, number } = await openWaiting(fixture);
    const { page } = checkout;
    // The focus is on another element, so a status change does not move the focus.
    await page.getByRole('link', { name: 'English' }).focus();
    await recordAnnounced(page);
    const timer = page.getByRole('timer');
    const before = await timer.textContent();
    await expect(timer).not.toHaveText(before!);
    expect(await readAnnounced(page)).toEqual([]);
    expect(await timer.getAttribute('aria-live')).toBeNull();
    await answerPush(fixture.app, number, 'decline');
    await checkout.expectTitle('Pagamento recusado no telemóvel');
    await checkout.payButton.focus();
    await page.keyboard.press('Enter');
    await checkout.expectWaiting();
    await page.getByRole('link', { name: 'English' }).focus();
    await answerPush(fixture.app, number, 'approve');
    await checkout.expectTitle('Pago');
    // The focused button was removed, so the focus moves to the title, which a screen reader announces.
    expect(await readAnnounced(page)).toEqual(['Pagamento recusado no telemóvel', 'Pago']);
  });

  test('announces a lost connection once', async () => {
    const { checkout } = await openWaiting(fixture);
    const { page } = checkout;
    await recordAnnounced(page);
    await page.route(/\/(session|events)\?/, (route) => route.abort());
    for (let times = 0; times < 3; times++) {
      const asked = page.waitForRequest(/\/session\?/);
      await page.evaluate(() => window.dispatchEvent(new Event('online')));
      await asked;
    }
    await expect(checkout.offlineNote).toBeInViewport();
    expect(await readAnnounced(page)).toEqual([
      'Sem ligação: o pagamento continua; voltamos a verificar assim que houver rede.',
    ]);
  });
});
