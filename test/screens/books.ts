// Screenshots for docs/books.md: the report of a closed day as JSON, and as a spreadsheet shows the CSV.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserFixture } from '../support/browser-fixture.ts';
import { addMoney, addRefund, SETTLEMENTS, inOneTransaction, untilClosed } from '../support/books.ts';
import { openCallbackFixture } from '../support/callbacks.ts';
import { parseCsv } from '../support/csv.ts';
import { print } from './pictures.ts';

const DAY = '2026-02-10';

/** Closes a day of a merchant, and takes both screenshots of its report. */
export async function writeBooks(fixture: BrowserFixture, folder: string): Promise<void> {
  const { app } = fixture;
  const shop = await openCallbackFixture(app);
  await inOneTransaction(app, async (books) => {
    const sell = (time: string, minor: number, reference: string) =>
      addMoney(books, shop, {
        at: `${DAY}T${time}.000Z`,
        minor,
        feeMinor: 1_250,
        reference,
        number: reference.slice(-3),
      });
    await sell('08:12:40', 450_000, 'FT 2026/117');
    const chair = await sell('10:31:05', 1_800_000, 'FT 2026/118');
    await sell('15:02:51', 99_990, 'FT 2026/119');
    await addRefund(books, shop, chair, { at: `${DAY}T17:40:00.000Z`, minor: 300_000 });
  });
  const [{ id }] = (await untilClosed(app, shop)) as [any];
  const body = { amount: 20_462.4, date: '2026-02-11', reference: 'TRF 20260211/31' };
  await shop.call(`${SETTLEMENTS}/${id}/credits`, { body });
  const { movements, ...report } = (await shop.call(`${SETTLEMENTS}/${id}`)).json;
  const json = JSON.stringify({ ...report, movements: { data: movements.data.slice(0, 1), next: '…' } }, null, 2);
  writeFileSync(join(folder, 'books-json.png'), await print(fixture, drawJson(json)));
  const { text } = await shop.call(`${SETTLEMENTS}/${id}.csv`);
  writeFileSync(
    join(folder, 'books-sheet.png'),
    await print(fixture, drawSheet(parseCsv(text.replace(/^\uFEFF/, ''), ';'))),
  );
}

const write = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function drawJson(json: string): string {
  const marked = write(json).replace(/("[^"]+")(:)/g, '<b>$1</b>$2');
  return `<style>pre { margin: 0; padding: 20px 24px; background: #fffdf8; font: 13px/1.45 ui-monospace, monospace }
    b { font-weight: 400; color: #0b5d5b }</style><pre>${marked}</pre>`;
}

const MONEY = /^-?\d+,\d\d$/;

/** Draws an HTML table with row numbers and column letters. It cuts off long text like a spreadsheet. */
function drawSheet(rows: string[][]): string {
  const letters = rows[0]!.map((_, nth) => `<th>${String.fromCharCode(65 + nth)}</th>`).join('');
  const cell = (text: string) => `<td${MONEY.test(text) ? ' class="money"' : ''}>${write(text)}</td>`;
  const lines = rows.map((cells, nth) => `<tr><th>${nth + 1}</th>${cells.map(cell).join('')}</tr>`);
  return `<style>table { border-collapse: collapse; background: #fff; font: 12px system-ui, sans-serif }
    th, td { border: 1px solid #d6d2c8; padding: 3px 6px; height: 14px; max-width: 118px;
      overflow: hidden; white-space: nowrap }
    th { background: #f3f0e9; font-weight: 400; color: #6a655b } tr:nth-child(2) td { font-weight: 600 }
    .money { text-align: right }</style><table><tr><th></th>${letters}</tr>${lines.join('')}</table>`;
}
