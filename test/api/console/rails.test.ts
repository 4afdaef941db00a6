import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { LANGUAGES } from '../../../shared/language.ts';
import { railsTexts } from '../../../console/text/rails.ts';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { enterConsole, type Visit } from '../../support/console.ts';
import { addMember } from '../../support/members.ts';
import { callRails, UNREACHABLE_URL, openAppyPay, openProxypay, SECRET } from '../../support/rail-accounts.ts';

const RAILS = '/console/rails';

let app: TestApp;
let appypay: Awaited<ReturnType<typeof openAppyPay>>;
let proxypay: Awaited<ReturnType<typeof openProxypay>>;
let shop: Awaited<ReturnType<TestApp['addMerchant']>>;
let owner: Visit;
beforeAll(async () => {
  app = await startTestApp();
  appypay = await openAppyPay(app.clock);
  proxypay = await openProxypay(app.clock);
});
beforeEach(async () => {
  shop = await app.addMerchant();
  owner = await enterConsole(app, await addMember(app, { merchantId: shop.merchantId }));
});

const list = async (): Promise<any[]> => (await callRails(app, shop)).json.data;

const typed = (changes: Record<string, string> = {}) => ({
  connector: 'proxypay',
  kind: 'ppr',
  environment: 'test',
  label: 'ProxyPay da loja',
  priority: '5',
  'settings/entity': '00777',
  'flag/settings/isExclusive': 'true',
  'settings/baseUrl': proxypay.fake.url,
  'secrets/apiKey': SECRET,
  ...changes,
});
const add = (changes: Record<string, string> = {}) => owner.act(`${RAILS}?new=proxypay.ppr`, 'addRail', typed(changes));

async function enter(): Promise<{ path: string; id: string }> {
  const path = (await add()).headers.get('location')!.split('?')[0]!;
  return { path, id: path.split('/').at(-1)! };
}

const etagIn = ({ text }: Reply) => /name="etag" value="([^"]+)"/.exec(text)![1]!.replaceAll('&quot;', '"');

describe('the form of a new rail account', () => {
  test('groups the connectors by payment method', async () => {
    const empty = await owner.open(RAILS);
    expect(empty.text).toContain('Ainda não tem contrato próprio');
    const { text } = await owner.open(`${RAILS}?new`);
    const { json } = await app.call('/api/rail-connectors', { token: shop.token });
    for (const { name, kinds } of json.data)
      for (const kind of kinds) expect(text).toContain(`href="/console/rails?new=${name}.${kind}"`);
    for (const none of ['balcao.gpo', 'proxypay.sms', 'toString.gpo', ''])
      expect((await owner.open(`${RAILS}?new=${none}`)).text).toContain('Com quem tem contrato?');
  });

  test('has the fields of its connector, and shows no saved secret', async () => {
    const made = await add();
    expect([made.status, made.headers.get('location')]).toEqual([303, expect.stringMatching(/\?done=addRail$/)]);
    expect(await list()).toMatchObject([
      {
        kind: 'ppr',
        connector: 'proxypay',
        label: 'ProxyPay da loja',
        priority: 5,
        status: 'active',
        settings: { entity: '00777', isExclusive: true, baseUrl: proxypay.fake.url },
      },
    ]);
    const page = await owner.open(made.headers.get('location')!);
    expect(page.text).toContain('Confirme agora os dados com o prestador');
    const [{ notificationUrl }] = await list();
    expect(page.text).toContain(`value="${notificationUrl}"`);
    expect(page.text + (await owner.open(RAILS)).text).not.toContain(SECRET);
  });

  test('saves nested settings in the groups that the API has', async () => {
    const { settings, secrets } = appypay.body;
    const { methods, ...plain } = settings as { methods: Record<string, string> };
    const flat = (at: string, of: object) => Object.entries(of).map(([name, value]) => [`${at}/${name}`, value]);
    const fields = { connector: 'appypay', kind: 'gpo', environment: 'test', label: 'AppyPay', priority: '1' };
    const made = await owner.act(`${RAILS}?new=appypay.gpo`, 'addRail', {
      ...fields,
      ...Object.fromEntries([
        ...flat('settings', plain),
        ...flat('settings/methods', methods),
        ...flat('secrets', secrets!),
      ]),
    });
    expect(made.status).toBe(303);
    expect(await list()).toMatchObject([{ connector: 'appypay', settings }]);
  });

  test('shows errors beside their fields, and no secret', async () => {
    const reply = await add({ 'settings/entity': '12', priority: 'x', label: '', 'secrets/apiKey': `${SECRET} x` });
    expect(reply.status).toBe(400);
    for (const id of ['addRail-settings/entity', 'addRail-priority', 'addRail-label', 'addRail-secrets/apiKey'])
      expect(reply.text).toMatch(new RegExp(`<input[^>]*id="${id}"[^>]*aria-invalid="true"`));
    expect(reply.text).toContain('Não tem a forma que o prestador usa.');
    expect(reply.text).toMatch(/id="addRail-settings\/entity"[^>]*value="12"/);
    expect(reply.text).not.toContain(SECRET);
    expect(await list()).toEqual([]);
  });

  test('shows the error of a missing group beside the first field of the group', async () => {
    const fields = { connector: 'appypay', kind: 'gpo', environment: 'test', label: 'A', priority: '1' };
    const { text, status } = await owner.act(`${RAILS}?new=appypay.gpo`, 'addRail', fields);
    expect(status).toBe(400);
    expect(text).toMatch(/<input[^>]*id="addRail-settings\/methods\/gpo"[^>]*aria-invalid="true"/);
    expect(text).not.toMatch(/<input[^>]*id="addRail-settings\/methods\/umm"[^>]*aria-invalid="true"/);
  });

  test('refuses field names that no connector has', async () => {
    const reply = await add({ 'settings/__proto__/isAdmin': '1', 'secrets/more': 'x' });
    expect([reply.status, await list()]).toEqual([400, []]);
    expect(({} as { isAdmin?: string }).isAdmin).toBeUndefined();
  });
});

describe('the page of a rail account', () => {
  test('tests the account and shows the result as a sentence', async () => {
    const { path, id } = await enter();
    expect((await owner.open(path)).text).toContain('Dados por confirmar');
    const tried = await owner.act(path, 'testRail');
    expect([tried.status, tried.text]).toEqual([200, expect.stringContaining('O prestador aceitou os dados.')]);
    expect((await owner.open(RAILS)).text).toContain('A funcionar');
    await owner.act(path, 'saveRail', typed({ 'settings/baseUrl': UNREACHABLE_URL, 'secrets/apiKey': '' }));
    expect((await owner.act(path, 'testRail')).text).toContain('O prestador não respondeu.');
    expect((await list()).find((each) => each.id === id)).toMatchObject({ verifiedAt: null });
  });

  test('changes the account, and keeps a secret if its field is empty', async () => {
    const { path } = await enter();
    const [before] = await list();
    await app.clock.advance(1_000);
    const kept = { 'secrets/apiKey': '', status: 'draining', 'flag/settings/isExclusive': 'false' };
    expect((await owner.act(path, 'saveRail', typed(kept))).status).toBe(303);
    const [after] = await list();
    expect(after).toMatchObject({ status: 'draining', secretsSetAt: before.secretsSetAt });
    expect(after.settings.isExclusive).toBe(false);
    await owner.act(path, 'saveRail', typed({ 'secrets/apiKey': 'outra-chave-7c1f' }));
    expect((await list())[0].secretsSetAt).not.toBe(before.secretsSetAt);
  });

  test('shows the saved values to the second of two people who change them', async () => {
    const { path } = await enter();
    const rui = await enterConsole(app, await addMember(app, { merchantId: shop.merchantId, role: 'Administrator' }));
    const etag = etagIn(await owner.open(path));
    expect((await rui.act(path, 'saveRail', typed({ label: 'Do Rui', etag }))).status).toBe(303);
    const late = await owner.act(path, 'saveRail', typed({ label: 'Da Ana', etag }));
    expect([late.status, (await list())[0].label]).toEqual([412, 'Do Rui']);
    expect(late.text).toMatch(/Está guardado agora: <strong>Do Rui/);
    expect((await owner.act(path, 'saveRail', typed({ label: 'Da Ana', etag: etagIn(late) }))).status).toBe(303);
  });

  test('removes the account', async () => {
    const { path } = await enter();
    const gone = await owner.act(path, 'removeRail');
    expect([gone.status, gone.headers.get('location')]).toEqual([303, '/console/rails?done=removeRail']);
    expect(await list()).toEqual([]);
  });
});

test('every field of a connector has texts in every language', async () => {
  const { json } = await app.call('/api/rail-connectors', { token: shop.token });
  const namesOf = ({ properties = {} }: any): string[] =>
    Object.entries<any>(properties).flatMap(([name, each]) =>
      each.properties ? namesOf(each).map((below) => `${name}.${below}`) : [name],
    );
  const names = json.data.flatMap((each: any) => [...namesOf(each.settings), ...namesOf(each.secrets)]);
  for (const lang of LANGUAGES)
    expect(names.filter((name: string) => !(`rail.field.${name}` in railsTexts[lang]))).toEqual([]);
});
