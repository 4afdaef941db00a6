// The console's list of articles: forms add, change, hide, move and delete them.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { enterConsole, type Visit } from '../../support/console.ts';
import { addMember } from '../../support/members.ts';

const PATH = '/console/articles';

let app: TestApp;
let owner: Visit;
let merchantId: string;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  ({ merchantId } = await app.addMerchant());
  owner = await enterConsole(app, await addMember(app, { merchantId }));
});

const listOf = () =>
  app.sql<{ id: string; said: string }>(
    `select id, concat_ws(' ', position, name, price_minor, is_active) as said from articles
     where merchant_id = $1 order by position`,
    [merchantId],
  );
const said = async () => (await listOf()).map((each) => each.said);
const add = (name: string, price: string) => owner.act(PATH, 'articleCreate', { name, price });
const idOf = async (nth: number) => (await listOf())[nth]!.id;

describe('the screen of articles', () => {
  test('adds an article with a price as people write it', async () => {
    expect((await add('Café', '1.350,50')).status).toBe(303);
    expect(await said()).toEqual(['1 Café 135050 t']);
    const { text } = await owner.open(PATH);
    expect(text.replaceAll('\u00a0', ' ')).toContain('1 350,50 Kz');
  });

  test('shows the refused form again, with the fault below its field', async () => {
    const { status, text } = await add('', 'muito');
    expect(status).toBe(400);
    expect(text).toContain('value="muito"');
    expect(text).toContain('id="articleCreate-name-error"');
    expect(text).toContain('id="articleCreate-price-error"');
    expect(await said()).toEqual([]);
  });

  test('says that another article has the name', async () => {
    await add('Café', '350');
    const { status, text } = await add('Café', '400');
    expect(status).toBe(409);
    expect(text).toContain('Outro artigo tem este nome.');
  });

  test('changes, moves, hides, shows and deletes an article', async () => {
    for (const name of ['Café', 'Pão', 'Água']) await add(name, '100');
    const articleId = await idOf(2);
    const act = async (name: string, fields: Record<string, string> = {}) =>
      expect((await owner.act(PATH, name, { articleId, ...fields })).status).toBe(303);
    await act('articleChange', { name: 'Água 1 L', price: '250' });
    await act('articleMove', { position: '1' });
    expect(await said()).toEqual(['1 Água 1 L 25000 t', '2 Café 10000 t', '3 Pão 10000 t']);
    await act('articleHide');
    expect((await said())[0]).toBe('1 Água 1 L 25000 f');
    expect((await owner.open(PATH)).text).toContain('Escondido');
    await act('articleShow');
    expect((await said())[0]).toBe('1 Água 1 L 25000 t');
    await act('articleRemove');
    expect(await said()).toEqual(['1 Café 10000 t', '2 Pão 10000 t']);
  });

  test('refuses a change of an article that another person has changed', async () => {
    await add('Café', '350');
    const articleId = await idOf(0);
    const etag = /name="etag" value="([^"]+)"/.exec((await owner.open(PATH)).text)![1]!.replaceAll('&quot;', '"');
    await owner.act(PATH, 'articleChange', { articleId, name: 'Café', price: '400' });
    const { status } = await owner.act(PATH, 'articleChange', { articleId, name: 'Café', price: '500', etag });
    expect(status).toBe(412);
    expect(await said()).toEqual(['1 Café 40000 t']);
  });

  test('leaves its price as money in the change history', async () => {
    await add('Café', '350');
    const { status, text } = await owner.open('/console/audit');
    expect(status).toBe(200);
    expect(text.replaceAll('\u00a0', ' ')).toContain('<strong>Preço</strong><span>nenhum → 350,00 Kz</span>');
  });
});
