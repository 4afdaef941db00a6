// The API reference as people read it: with and without JavaScript, by keyboard, on a narrow screen, on paper.
import type { Page } from 'playwright';
import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { BasePage } from '../pages/base.ts';
import { openBrowserFixture, type VisitOptions } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();

async function open(path: string, options: VisitOptions = {}): Promise<BasePage> {
  const docs = new BasePage(await fixture.visit({ locale: 'en', ...options }));
  await docs.page.goto(fixture.app.node.core.publicUrl + path);
  return docs;
}

describe('a documentation page', () => {
  test.each(['/docs', '/docs/payments', '/problems'])(
    'has no axe violations and no sideways scrolling: %s',
    async (path) => {
      const docs = await open(path);
      await unfoldAll(docs.page);
      await docs.expectAccessible();
      await docs.expectReadableEnlarged();
    },
  );

  test('lists its tags at the side of a wide screen, and shows the focus', async () => {
    const docs = await open('/docs/payments', { viewport: { width: 1280, height: 800 } });
    await expect(docs.page.getByRole('navigation', { name: 'Tags' }).getByRole('link', { name: 'SMS' })).toBeVisible();
    await docs.expectFocusVisible();
  });
});

test('a documentation page fits 320 px with all details open', async () => {
  const { page } = await open('/docs', { viewport: { width: 320, height: 640 } });
  for (const path of ['/docs/references', '/docs/webhooks', '/docs/merchants', '/docs/sms']) {
    await page.goto(fixture.app.node.core.publicUrl + path);
    await unfoldAll(page);
    expect([path, await page.evaluate(() => document.scrollingElement?.scrollWidth)]).toEqual([path, 320]);
  }
});

test.each(['/docs', '/docs/payments', '/problems', '/problems/not_found', '/sandbox', '/sandbox/phone'])(
  'a documentation page has targets of at least 24 by 44 px outside of sentences: %s',
  async (path) => {
    const { page } = await open(path);
    for (const viewport of [
      { width: 360, height: 740 },
      { width: 1280, height: 800 },
    ]) {
      await page.setViewportSize(viewport);
      expect(await page.evaluate(listSmallTargets), `${viewport.width} px`).toEqual([]);
    }
  },
);

/** Runs in the page. Finds targets below 44 px of height or 24 px of width, except links within sentences. */
function listSmallTargets(): string[] {
  const isAmongWords = (each: Element) => {
    const words = each.closest('p, dt, dd, li, th, td')?.textContent?.trim();
    return words && getComputedStyle(each).display === 'inline' && words !== each.textContent?.trim();
  };
  return [...document.querySelectorAll('a, button, summary, input:not([type=hidden])')]
    .filter((each) => each.checkVisibility() && !each.matches('.skip') && !isAmongWords(each))
    .map((each) => {
      const own = each.getBoundingClientRect();
      const field = each.closest('.input')?.getBoundingClientRect() ?? own;
      // A card that is a single link can be clicked anywhere.
      const door = getComputedStyle(each, '::after').position === 'absolute' ? each.closest('.card') : null;
      const { width, height } = door?.getBoundingClientRect() ?? field;
      return [each.outerHTML.slice(0, 120), width, height] as const;
    })
    .filter(([, width, height]) => height < 44 || width < 24)
    .map(([name, width, height]) => `${Math.round(width)} × ${Math.round(height)}: ${name}`);
}

const unfoldAll = (page: Page) =>
  page.locator('details').evaluateAll((all) => all.forEach((each) => each.setAttribute('open', '')));

test('the search finds operations by name, path, method and tag, and shows the number of results', async () => {
  const { page } = await open('/docs');
  const search = page.getByRole('searchbox', { name: 'Find an operation' });
  const shown = page.getByRole('main').getByRole('listitem');
  const count = page.getByRole('search').getByRole('status');
  const all = await shown.count();
  await expect(count).toHaveText(`${all} operations`);
  await search.fill('webhook rotate');
  await expect(shown).toHaveCount(1);
  await expect(count).toHaveText('1 operation');
  await expect(page.getByRole('heading', { name: 'Payments' })).toBeHidden();
  await search.fill('DELETE sms');
  await expect(shown.first()).toContainText('DELETE');
  await search.fill('nothing of this kind');
  await expect(count).toHaveText('0 operations');
  await search.fill('');
  await expect(shown).toHaveCount(all);
});

test('the keyboard reaches an operation, its command and its responses from the index', async () => {
  const { page } = await open('/docs');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to the content' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/#main$/);
  await page.getByRole('searchbox').focus();
  await page.keyboard.type('create a payment');
  await page.getByRole('link', { name: 'Create a payment', exact: true }).focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/docs\/payments#createPayment$/);
  const article = page.getByRole('article', { name: 'Create a payment', exact: true });
  await expect(article).toBeInViewport();
  const answer = article.locator('summary').filter({ hasText: '201' });
  await answer.focus();
  await page.keyboard.press('Enter');
  await expect(article.getByText('checkoutUrl', { exact: true })).toBeVisible();
});

test('the copy button copies a command and confirms it', async () => {
  const { page } = await open('/docs/payments', { permissions: ['clipboard-read', 'clipboard-write'] });
  const article = page.getByRole('article', { name: 'Create a payment', exact: true });
  const copy = article.getByRole('button', { name: 'Copy the command: Create a payment' });
  await copy.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('status').filter({ hasText: 'Copied' })).toHaveCount(1);
  await expect(copy).toBeFocused();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toBe(await article.locator('pre').first().textContent());
  expect(copied).toMatch(/^curl -s http[^ ]+\/api\/payments \\\n/);
});

test('the copy button selects the command if the browser refuses access to the clipboard', async () => {
  const { page } = await open('/docs/tokens', { permissions: [] });
  await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
  const article = page.getByRole('article', { name: 'Issue an access token' });
  await article.getByRole('button', { name: /^Copy/ }).click();
  const selected = await page.evaluate(() => getSelection()?.toString());
  expect(selected).toContain('grant_type=client_credentials');
  await expect(page.getByRole('status').filter({ hasText: 'Selected' })).toHaveCount(1);
});

test('a documentation page without JavaScript is complete and has no control without effect', async () => {
  const { page } = await open('/docs', { javaScriptEnabled: false });
  await expect(page.getByRole('button')).toHaveText(['Search']);
  await page.getByRole('searchbox', { name: 'Find an operation' }).fill('cancelar referência');
  await page.getByRole('button', { name: 'Search' }).click();
  await expect(page.getByRole('searchbox')).toHaveValue('cancelar referência');
  await page.getByRole('link', { name: 'Cancel a payment reference' }).click();
  const article = page.getByRole('article', { name: 'Cancel a payment reference' });
  await expect(article).toBeInViewport();
  await expect(article.locator('pre').first()).toContainText('curl -s -X POST "');
  await article.locator('summary').filter({ hasText: /^2/ }).click();
  await expect(article.locator('details .fields').first()).toBeVisible();
  await page.getByRole('link', { name: 'reference_not_cancelable' }).first().click();
  await expect(page).toHaveURL(/\/problems\//);
});

test('a printed page has its commands and no navigation', async () => {
  const { page } = await open('/docs/payments');
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByRole('banner')).toBeHidden();
  await expect(page.locator('pre').first()).toBeVisible();
  await expect(page.getByRole('button', { name: /^Copy/ }).first()).toBeHidden();
});

test('the sandbox page links to the API documentation', async () => {
  const { page } = await open('/sandbox');
  await page.getByRole('link', { name: 'Todas as operações da API' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Balcão API 0.1.0');
});

describe('the form "try it" of an operation', () => {
  test('calls the API as the demo merchant, and its result fills the next forms', async () => {
    const { page } = await open('/docs/payments');
    const create = page.getByRole('article', { name: 'Create a payment', exact: true });
    await create.getByText('Try it').click();
    await create.getByRole('button', { name: 'Send' }).click();
    const answer = create.locator('[data-answer]');
    await expect(answer).toContainText('201 Created application/json');
    const id = /"id": "([^"]+)"/.exec((await answer.textContent()) ?? '')?.[1];
    const read = page.getByRole('article', { name: 'Read one payment', exact: true });
    await read.getByText('Try it').click();
    await expect(read.getByRole('textbox').first()).toHaveValue(id ?? 'none');
    await read.getByRole('button', { name: 'Send' }).click();
    await expect(read.locator('[data-answer]')).toContainText('200 OK application/json');
  });

  test('shows the returned problem as JSON', async () => {
    const { page } = await open('/docs/payments', { expected: /400/ });
    const create = page.getByRole('article', { name: 'Create a payment', exact: true });
    await create.getByText('Try it').click();
    await create.getByRole('textbox', { name: 'Body' }).fill('{"amount":-1}');
    await create.getByRole('button', { name: 'Send' }).click();
    await expect(create.locator('[data-answer]')).toContainText('"/currency"');
  });

  test('is absent without JavaScript', async () => {
    const { page } = await open('/docs/payments', { javaScriptEnabled: false });
    await expect(page.getByText('Try it').first()).toBeHidden();
  });
});
