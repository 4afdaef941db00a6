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
    expect([last.status, last.text]).toEqual([409, expect.stringContaining('É o único Proprietário')]);
  });
});

describe('the settings page', () => {
  const brand = { name: 'Loja da Ana', defaultLanguage: 'fr', brandColor: '#AA0000' };

  test('saves settings', async () => {
    expect((await owner.act(SETTINGS, 'saveBrand', brand)).status).toBe(303);
    expect(await readMerchant()).toMatchObject({ ...brand, brandColor: '#aa0000' });
    const rules = { taxId: '5417 123 456', push: 'on', reference: 'on', cashierRefundLimit: '25 000,50' };
    expect((await owner.act(SETTINGS, 'saveShop', rules)).status).toBe(303);
    const privacy = { privacyContact: ' dados@loja.example ', privacyNotice: 'Filmamos a loja.\r\nSem som.' };
    expect((await owner.act(SETTINGS, 'savePrivacy', privacy)).status).toBe(303);
    const origins = { allowedOrigins: 'https://a.example\nhttps://b.example', returnOrigins: '' };
    expect((await owner.act(SETTINGS, 'saveOrigins', { ...origins, searchKeys: 'loja\nmesa' })).status).toBe(303);
    expect(await readMerchant()).toMatchObject({
      name: 'Loja da Ana',
      taxId: '5417123456',
      privacyContact: 'dados@loja.example',
      privacyNotice: 'Filmamos a loja.\nSem som.',
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
    ['saveShop', { push: 'on', cashierRefundLimit: '0,005' }, 'Tem casas decimais a mais.'],
    ['saveShop', { push: 'on', taxId: '54171' }, 'O NIF tem 10 algarismos'],
    ['savePrivacy', { privacyContact: 'x'.repeat(201) }, 'privacyContact-error'],
    ['savePrivacy', { privacyNotice: 'Direita \u202e para esquerda' }, 'Use só texto simples'],
    ['saveOrigins', { searchKeys: 'mesa\n+' }, 'Cada linha é um nome'],
    ['saveOrigins', { allowedOrigins: 'https://a.example\nloja', returnOrigins: '' }, 'Cada linha é um endereço'],
  ])('shows an error of the form %s beside the field', async (act, fields, message) => {
    const before = await readMerchant();
    const reply = await owner.act(SETTINGS, act, fields);
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining(message)]);
    expect(reply.text).toMatch(/aria-invalid="true"/);
    expect(await readMerchant()).toEqual(before);
  });

  test('clears the NIF and the privacy texts if their fields are empty', async () => {
    await owner.act(SETTINGS, 'saveShop', { taxId: '5417123456', push: 'on' });
    await owner.act(SETTINGS, 'savePrivacy', { privacyContact: 'a@b.example', privacyNotice: 'Texto.' });
    await owner.act(SETTINGS, 'saveShop', { taxId: '', push: 'on' });
    await owner.act(SETTINGS, 'savePrivacy', { privacyContact: '', privacyNotice: ' ' });
    expect(await readMerchant()).toMatchObject({ taxId: null, privacyContact: null, privacyNotice: null });
    const written = await app.sql<{ changes: object }>('select changes from audit_entries where merchant_id = $1', [
      merchantId,
    ]);
    const fields = written.flatMap(({ changes }) => Object.keys(changes));
    for (const field of ['taxId', 'privacyContact', 'privacyNotice'])
      expect(fields.filter((each) => each === field)).toHaveLength(2);
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
    await owner.act(SETTINGS, 'saveShop', { push: 'on', reference: 'on' });
    const etag = etagIn(await owner.open(SETTINGS));
    expect((await owner.act(SETTINGS, 'saveShop', { push: 'on', qrcode: 'on', etag })).status).toBe(303);
    const late = await owner.act(SETTINGS, 'saveShop', { push: 'on', reference: 'on', etag });
    expect([late.status, await saved()]).toEqual([412, ['push', 'qrcode']]);
    const said = late.text.matchAll(/name="(\w+)"[^>]*>[^<]*<\/label><p class="small">([^<]*<strong>[^<]*)/g);
    expect([...said].map(([, name, now]) => [name, now])).toEqual([
      ['qrcode', 'Está guardado agora: <strong>marcado'],
      ['reference', 'Está guardado agora: <strong>não marcado'],
    ]);
  });
});
