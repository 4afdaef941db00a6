// The sandbox's inbox in a browser.
import { expect } from '../../../../test/support/expect.ts';
import { beforeEach, test } from 'vitest';
import { showPhone } from '../../../../shared/phone.ts';
import { postMail, receiveMail } from '../../../../test/support/mail.ts';
import { sendMessage } from '../../../../test/support/sms.ts';
import { InboxPage } from '../../../../test/browser/pages/inbox.ts';
import { openBrowserFixture } from '../../../../test/support/browser-fixture.ts';

const fixture = openBrowserFixture();
beforeEach(async () => {
  await fixture.app.call('/sandbox/inbox', { method: 'DELETE', token: null });
});

async function openInbox(): Promise<InboxPage> {
  const inbox = new InboxPage(await fixture.visit({ javaScriptEnabled: false }));
  await inbox.open(fixture.app);
  return inbox;
}

async function write(to: string) {
  await postMail(fixture.app, { to });
  await receiveMail(fixture.app, to);
}

test('the sandbox page links the inbox, and the inbox reports that it is empty', async () => {
  const page = await fixture.visit();
  await page.goto(`${fixture.app.node.core.publicUrl}/sandbox`);
  await page.getByRole('link', { name: 'Caixa de correio' }).click();
  const inbox = new InboxPage(page);
  await expect(inbox.heading).toHaveText('Caixa de correio');
  await expect(page.getByText('Ainda não chegou nada.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Esvaziar a caixa' })).toHaveCount(0);
  await inbox.expectAccessible();
});

test('the inbox finds mail by its e-mail address, opens the newest mail, and can be cleared', async () => {
  await write('ana@example.ao');
  await write('rui@example.ao');
  const inbox = await openInbox();
  await expect(inbox.letters).toHaveCount(2);
  // Only the newest mail is open.
  await expect(inbox.letters.first()).toContainText('Para rui@example.ao');
  await expect(inbox.letters.first().getByRole('link')).toBeVisible();
  await expect(inbox.letters.last().getByRole('link')).toBeHidden();
  await inbox.letters.last().getByText('Escolha uma nova palavra-passe').click();
  await expect(inbox.letters.last().getByRole('link')).toBeVisible();
  await inbox.search('ANA@example.ao');
  await expect(inbox.letters).toHaveCount(1);
  await expect(inbox.page.getByRole('heading', { name: '1 mensagem para ANA@example.ao' })).toBeVisible();
  await inbox.search('nobody@example.ao');
  await expect(inbox.page.getByText('Ninguém escreveu para este endereço ou número.')).toBeVisible();
  await inbox.page.getByRole('link', { name: 'Ver todas' }).click();
  await expect(inbox.letters).toHaveCount(2);
  await inbox.page.getByRole('button', { name: 'Esvaziar a caixa' }).click();
  await expect(inbox.letters).toHaveCount(0);
});

test('the inbox opens the SMS that was replied to at any position in the list', async () => {
  const { to } = await sendMessage(fixture.app, { text: 'A primeira' });
  for (let more = 12; more > 0; more--) await sendMessage(fixture.app, { text: `Mais uma, ${more}` });
  const inbox = await openInbox();
  await inbox.letters.last().getByText('SMS de BALCAO').click();
  await inbox.reply(showPhone(to), 'Olá');
  const status = inbox.letters.last().getByRole('status');
  await expect(status).toHaveText('Resposta enviada.');
  await expect(status).toBeInViewport();
  await expect(inbox.page.getByRole('status')).toHaveCount(1);
});

test('the inbox is accessible with long words, narrow and enlarged', async () => {
  await write(`${'a'.repeat(60)}@${'b'.repeat(60)}.example.ao`);
  await write('ana@example.ao');
  const { to } = await sendMessage(fixture.app, { text: 'a'.repeat(300) });
  const inbox = new InboxPage(await fixture.visit());
  await inbox.open(fixture.app);
  await expect(inbox.letters).toHaveCount(3);
  await inbox.reply(showPhone(to), 'Olá');
  await expect(inbox.letters.first().getByRole('status')).toBeVisible();
  await inbox.expectFocusVisible();
  await inbox.letters.last().getByText('Escolha uma nova palavra-passe').click();
  await inbox.expectAccessible();
  await inbox.expectReadableEnlarged();
});
