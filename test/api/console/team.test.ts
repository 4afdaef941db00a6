import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { roleOf } from '../../../shared/roles.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { enterConsole, type Visit } from '../../support/console.ts';
import { addMember } from '../../support/members.ts';

let app: TestApp;
let merchantId: string;
let token: string;
let owner: Visit;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  ({ merchantId, token } = await app.addMerchant());
  owner = await enterConsole(app, await addMember(app, { merchantId }));
});

const TEAM = '/console/team';
const SETTINGS = '/console/settings';
const readMerchant = async () => (await app.call(`/api/merchants/${merchantId}`, { token })).json;
const etagIn = ({ text }: { text: string }) => /name="etag" value="([^"]+)"/.exec(text)![1]!.replaceAll('&quot;', '"');
const listMembers = async () => (await app.call(`/api/merchants/${merchantId}/users`, { token })).json.data;

describe('the team page', () => {
  test('invites a person, changes the role and revokes access', async () => {
    const email = 'caixa@loja.example';
    const invited = await owner.act(TEAM, 'invite', { email, roleId: roleOf('Cashier').id });
    expect([invited.status, invited.headers.get('location')]).toEqual([303, `${TEAM}?done=invite`]);
    const { text } = await owner.open(`${TEAM}?done=invite`);
    expect(text).toContain('O convite foi enviado.');
    expect(text).toMatch(/Convidado até \d\d\/\d\d\/\d{4}/);
    const { userId } = (await listMembers()).find((member: any) => member.email === email);
    expect((await owner.act(TEAM, 'changeRole', { email, userId, roleId: roleOf('Viewer').id })).status).toBe(303);
    expect((await listMembers()).find((member: any) => member.userId === userId).role).toBe('Viewer');
    expect((await owner.act(TEAM, 'removeMember', { userId })).status).toBe(303);
    expect(await listMembers()).toHaveLength(1);
  });

  test('shows an invalid email address beside its field and keeps it', async () => {
    const reply = await owner.act(TEAM, 'invite', { email: 'caixa', roleId: roleOf('Cashier').id });
    expect(reply.status).toBe(400);
    expect(reply.text).toContain('Escreva um endereço como ana@loja.example.');
    expect(reply.text).toContain('value="caixa"');
  });

  test('keeps the last Owner', async () => {
    const [{ userId }] = await listMembers();
    const last = await owner.act(TEAM, 'removeMember', { userId });
    expect([last.status, last.text]).toEqual([409, expect.stringContaining('É o último dono')]);
  });
});

describe('the settings page', () => {
  const brand = { name: 'Loja da Ana', defaultLanguage: 'fr', brandColor: '#AA0000' };

  test('saves settings, and previews the checkout that payers see', async () => {
    expect((await owner.act(SETTINGS, 'saveBrand', brand)).status).toBe(303);
    expect(await readMerchant()).toMatchObject({ ...brand, brandColor: '#aa0000' });
    expect((await owner.open(SETTINGS)).text).toContain('fill="#aa0000"');
    const rules = { push: 'on', reference: 'on', cashierRefundLimit: '25 000,50', searchKeys: 'loja\nmesa' };
    expect((await owner.act(SETTINGS, 'saveRules', rules)).status).toBe(303);
    const origins = { allowedOrigins: 'https://a.example\nhttps://b.example', returnOrigins: '' };
    expect((await owner.act(SETTINGS, 'saveOrigins', origins)).status).toBe(303);
    expect(await readMerchant()).toMatchObject({
      name: 'Loja da Ana',
      checkoutMethods: ['push', 'reference'],
      cashierRefundLimit: 25_000.5,
      searchKeys: ['loja', 'mesa'],
      uniqueReferences: false,
      allowedOrigins: ['https://a.example', 'https://b.example'],
      returnOrigins: [],
    });
  });

  test.each([
    ['saveBrand', { ...brand, brandColor: 'azul' }, 'Escreva a cor como #0a7d4b.'],
    ['saveRules', { push: 'on', cashierRefundLimit: '1,234' }, 'Tem casas decimais a mais.'],
    ['saveOrigins', { allowedOrigins: 'https://a.example\nloja', returnOrigins: '' }, 'Cada linha é um endereço'],
  ])('shows an error of the form %s beside the field', async (act, fields, message) => {
    const before = await readMerchant();
    const reply = await owner.act(SETTINGS, act, fields);
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining(message)]);
    expect(reply.text).toMatch(/aria-invalid="true"/);
    expect(await readMerchant()).toEqual(before);
  });

  test('escapes a name that contains HTML', async () => {
    await owner.act(SETTINGS, 'saveBrand', { ...brand, name: '</text><script>x' });
    expect((await owner.open(SETTINGS)).text).not.toContain('<script>x');
  });

  test('shows the saved values to the second of two people who change them', async () => {
    const rui = await enterConsole(app, await addMember(app, { merchantId, role: 'Administrator' }));
    const etag = etagIn(await owner.open(SETTINGS));
    expect(etagIn(await rui.open(SETTINGS))).toBe(etag);
    expect((await rui.act(SETTINGS, 'saveBrand', { ...brand, name: 'Do Rui', etag })).status).toBe(303);

    const late = await owner.act(SETTINGS, 'saveBrand', { ...brand, name: 'Da Ana', etag });
    expect([late.status, (await readMerchant()).name]).toEqual([412, 'Do Rui']);
    expect(late.text).toContain('Mudado entretanto por outra pessoa');
    expect(late.text).toContain('value="Da Ana"');
    expect(late.text).toMatch(/Está guardado agora: <strong>Do Rui/);

    const again = await owner.act(SETTINGS, 'saveBrand', { ...brand, name: 'Da Ana', etag: etagIn(late) });
    expect([again.status, (await readMerchant()).name]).toEqual([303, 'Da Ana']);
  });

  test('shows saved values in checkboxes, and after a concurrent change marks only the changed ones', async () => {
    const saved = async () => (await readMerchant()).checkoutMethods;
    await owner.act(SETTINGS, 'saveRules', { push: 'on', reference: 'on' });
    const etag = etagIn(await owner.open(SETTINGS));
    expect((await owner.act(SETTINGS, 'saveRules', { push: 'on', qrcode: 'on', etag })).status).toBe(303);
    const late = await owner.act(SETTINGS, 'saveRules', { push: 'on', reference: 'on', etag });
    expect([late.status, await saved()]).toEqual([412, ['push', 'qrcode']]);
    const said = late.text.matchAll(/name="(\w+)"[^>]*>[^<]*<\/label><p class="small">([^<]*<strong>[^<]*)/g);
    expect([...said].map(([, name, now]) => [name, now])).toEqual([
      ['qrcode', 'Está guardado agora: <strong>marcado'],
      ['reference', 'Está guardado agora: <strong>não marcado'],
    ]);
  });
});
