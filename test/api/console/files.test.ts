import { beforeAll, describe, expect, test } from 'vitest';
import { MAX_LOGO_BYTES } from '../../../shared/brand.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { enterConsole, type Visit } from '../../support/console.ts';
import { addMember } from '../../support/members.ts';
import { sendRaw } from '../../support/raw.ts';

const SETTINGS = '/console/settings';
const PREVIEW = `${SETTINGS}/preview`;
const REFERENCES = '/console/references';
const CONTACTS = '/console/sms/contacts';

let app: TestApp;
let merchantId: string;
let token: string;
let owner: Visit;
beforeAll(async () => {
  app = await startTestApp();
  ({ merchantId, token } = await app.addMerchant());
  owner = await enterConsole(app, await addMember(app, { merchantId }));
});

const readMerchant = async () => (await app.call(`/api/merchants/${merchantId}`, { token })).json;
const fileOf = (bytes: string | Uint8Array<ArrayBuffer>, type = 'text/csv') => new File([bytes], 'f', { type });
/** A browser sends this for a file field without a file. */
const NONE = new File([], '');
const MB = 1_048_576;

describe('the logo field', () => {
  const brand = { name: 'Loja da Ana', defaultLanguage: 'pt', brandColor: '#0a7d4b' };
  const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const url = `data:image/png;base64,${PIXEL}`;
  const pixel = fileOf(new Uint8Array(Buffer.from(PIXEL, 'base64')), 'image/png');
  const isShown = async () => (await owner.open(PREVIEW)).text.includes(`<img class="logo" src="${url}"`);

  test('accepts a file, previews it, keeps it if the next form has no file, and removes it', async () => {
    expect((await owner.send(SETTINGS, 'saveBrand', brand, { 'brandLogo.file': pixel })).status).toBe(303);
    expect([(await readMerchant()).brandLogo, await isShown()]).toEqual([url, true]);
    expect((await owner.send(SETTINGS, 'saveBrand', brand, { 'brandLogo.file': NONE })).status).toBe(303);
    expect((await readMerchant()).brandLogo).toBe(url);
    const without = { ...brand, withoutLogo: 'on' };
    expect((await owner.send(SETTINGS, 'saveBrand', without, { 'brandLogo.file': NONE })).status).toBe(303);
    expect([(await readMerchant()).brandLogo, await isShown()]).toEqual([null, false]);
  });

  test.each([
    ['another kind of file', fileOf('<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml')],
    ['text with an image type', fileOf('olá', 'image/png')],
    ['too large for a logo', fileOf(new Uint8Array(MAX_LOGO_BYTES + 1), 'image/png')],
    ['a large photo', fileOf(new Uint8Array(3 * MB), 'image/jpeg')],
  ])('refuses a file (%s) with an error beside the field, and the other typed values stay', async (_what, file) => {
    const before = await readMerchant();
    const typed = { ...brand, name: 'Outro nome' };
    const { status, text } = await owner.send(SETTINGS, 'saveBrand', typed, { 'brandLogo.file': file });
    expect(status).toBe(400);
    expect(text).toContain('id="saveBrand-brandLogo-file-error">Escolha um PNG');
    expect(text).toContain('value="Outro nome"');
    expect(await readMerchant()).toEqual(before);
  });

  test('keeps the chosen file for the next submit if another field has an error', async () => {
    const wrong = { ...brand, brandColor: 'azul' };
    const { status, text } = await owner.send(SETTINGS, 'saveBrand', wrong, { 'brandLogo.file': pixel });
    expect(status).toBe(400);
    const [, kept = ''] = /type="hidden" name="brandLogo" value="([^"]+)"/.exec(text) ?? [];
    expect(text).toContain(`<img class="chosen" src="${url}"`);
    const again = { ...brand, brandLogo: kept };
    expect((await owner.send(SETTINGS, 'saveBrand', again, { 'brandLogo.file': NONE })).status).toBe(303);
    expect((await readMerchant()).brandLogo).toBe(url);
  });
});

describe('the preview of a brand', () => {
  const typed = { name: 'Loja nova', defaultLanguage: 'en', brandColor: '#FFCC00' };
  const svg = fileOf('<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml');

  test('is the hosted page with the typed values, which are not saved', async () => {
    const before = await readMerchant();
    const { status, text, headers } = await owner.send(PREVIEW, 'saveBrand', typed, { 'brandLogo.file': NONE });
    expect(status).toBe(200);
    expect(text).toContain('--brand-fill:#ffcc00;--brand-letters:#1b1a17');
    expect(text).toMatch(/<html lang="en">.*Loja nova.*1\s500,00\sKz/s);
    expect(text).not.toMatch(/<script|method="post"/);
    const policy = headers.get('content-security-policy');
    expect(policy).toContain("frame-ancestors 'self'");
    expect((await owner.open(SETTINGS)).headers.get('content-security-policy')).toContain("frame-src 'self'");
    expect(await readMerchant()).toEqual(before);
  });

  test('keeps the saved values instead of invalid ones', async () => {
    await owner.act(SETTINGS, 'saveBrand', { ...typed, brandColor: '#0b5d5b' });
    const wrong = { ...typed, brandColor: 'azul', defaultLanguage: 'xx', name: ' ' };
    const { status, text } = await owner.send(PREVIEW, 'saveBrand', wrong, { 'brandLogo.file': svg });
    expect([status, text.includes('--brand-fill:#0b5d5b')]).toEqual([200, true]);
    expect(text).not.toContain('image/svg');
  });

  test('refuses a form of another website, and sends a visitor to the sign-in page', async () => {
    expect((await owner.post(PREVIEW, { ...typed, token: 'x' })).status).toBe(403);
    const forged = await owner.post(PREVIEW, typed, { origin: 'https://elsewhere.example' });
    expect(forged.status).toBe(403);
    const { status, headers } = await app.call(PREVIEW, { token: null });
    expect([status, headers.get('location')]).toEqual([303, expect.stringContaining('/console/sign-in')]);
  });
});

describe('a pasted list', () => {
  const LINES = '\ufeff15000;Matrícula\r\n7500;Propina\r\n';

  test('can be uploaded as a file instead of typed text', async () => {
    const fields = { lines: 'lixo' };
    const preview = await owner.send(REFERENCES, 'referencesCheck', fields, { 'lines.file': fileOf(LINES) });
    expect(preview.status).toBe(200);
    expect(preview.text).toContain('Referências: 2');
    expect(preview.text).toMatch(/<textarea[^>]*>\s*15000;Matrícula\s+7500;Propina\s*<\/textarea>/);
  });

  test.each([
    ['in another encoding than UTF-8', new Uint8Array(Buffer.from('1;Matr\u00edcula', 'latin1')), 'Não é um ficheiro'],
    ['from a spreadsheet program', new Uint8Array(Buffer.from('PK\u0003\u0004\0\0')), 'Não é um ficheiro de texto'],
    ['larger than a form may be', new Uint8Array(2 * MB).fill(65), 'O ficheiro é grande demais'],
  ])('with %s is refused with an error beside the field, and typed values stay', async (_what, bytes, message) => {
    const file = { 'lines.file': fileOf(bytes) };
    const { status, text } = await owner.send(REFERENCES, 'referencesCheck', { lines: '100;Quota' }, file);
    expect(status).toBe(400);
    expect(text).toContain(`id="referencesCheck-lines-file-error">${message}`);
    expect(text).toMatch(/<textarea[^>]*>\s*100;Quota<\/textarea>/);
  });

  test('of contacts is stored, and its wrong lines are named', async () => {
    const send = (lines: string) => owner.send(CONTACTS, 'smsImport', { rows: '' }, { 'rows.file': fileOf(lines) });
    const wrong = await send('Ana;923456789\nRui;12\n');
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringMatching(/Linha 2<\/strong> “Rui;12”/)]);
    expect((await send('Ana;923456789\n')).status).toBe(303);
    expect((await owner.open(CONTACTS)).text).toContain('Ana');
  });
});

describe('a form with files', () => {
  const post = (body: string | Uint8Array, type = 'multipart/form-data; boundary=x') =>
    owner.open(SETTINGS, { method: 'POST', body, headers: { 'content-type': type, origin: app.url } });
  const part = (name: string, text: string) =>
    `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;

  test.each([
    ['without its session’s token', `${part('act', 'saveBrand')}--x--\r\n`, 403],
    ['not multipart', 'lixo', 400],
    ['with a field twice', `${part('act', 'a')}${part('act', 'b')}--x--\r\n`, 400],
    ['with NUL in a text', `${part('act', 'a\0')}--x--\r\n`, 400],
    ['whose text is larger than a form may be', `${part('name', 'x'.repeat(MB))}--x--\r\n`, 413],
  ])('changes nothing if it is malformed (%s)', async (_what, body, status) => {
    const before = await readMerchant();
    expect((await post(body)).status).toBe(status);
    expect(await readMerchant()).toEqual(before);
  });

  test('is not read if its length exceeds the largest file', async () => {
    const about = ['Content-Type: multipart/form-data; boundary=x', `Content-Length: ${64 * MB}`];
    const asked = [...about, `Cookie: ${owner.cookie}`, `Origin: ${app.url}`];
    expect((await sendRaw(app.url, `POST ${SETTINGS}`, asked)).status).toBe(413);
  });
});
