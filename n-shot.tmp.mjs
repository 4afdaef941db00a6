import { chromium } from 'playwright'; import sparticuz from '@sparticuz/chromium';
const [base, who, prefix, ...paths] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: await sparticuz.executablePath(), args: ['--no-sandbox','--headless=shell'] });
for (const [name, viewport, scheme] of [['phone',{width:360,height:740},'light'],['desk',{width:1280,height:800},process.env.DARK?'dark':'light']]) {
  const page = await (await browser.newContext({ viewport, colorScheme: scheme })).newPage();
  await page.goto(base + '/sandbox');
  await page.locator(`form[action="/sandbox/console"] button`).nth(who === 'owner' ? 0 : 1).click();
  await page.waitForURL(/console/);
  for (const [i, path] of paths.entries()) {
    await page.goto(base + path);
    if (process.env.OPEN) await page.evaluate(() => document.querySelectorAll('details').forEach((d) => (d.open = true)));
    await page.screenshot({ path: `/tmp/n-shots/${prefix}-${i}-${name}.png`, fullPage: true });
  }
}
await browser.close();
