// The sandbox's inbox as people read it: who wrote what to whom, found, followed and thrown away.
import { expect } from '../../../../test/support/expect.ts';
import { beforeEach, test } from 'vitest';
import { showPhone } from '../../../../shared/phone.ts';
import { until } from '../../../../test/support/app.ts';
import { postMail, receiveMail } from '../../../../test/support/mail.ts';
import { sendMessage } from '../../../../test/support/messages.ts';
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

test('is found from the sandbox’s pages, and says when it is empty', async () => {
  const page = await fixture.visit();
  await page.goto(`${fixture.app.node.core.publicUrl}/sandbox`);
  await page.getByRole('link', { name: 'Caixa de correio' }).click();
  const inbox = new InboxPage(page);
  await expect(inbox.heading).toHaveText('Caixa de correio');
  await expect(page.getByText('Ainda não chegou nada.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Esvaziar a caixa' })).toHaveCount(0);
  await inbox.expectAccessible();
});

test('letters are found by their reader, opened, and thrown away', async () => {
  await write('ana@example.ao');
  await write('rui@example.ao');
  const inbox = await openInbox();
  await expect(inbox.letters).toHaveCount(2);
  // The newest is open, the others are not.
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

test('an SMS is found by its phone and answered, without a script', async () => {
  const { messageId } = await sendMessage(fixture.app, { to: '+244923456789', sender: 'LOJA', text: 'Olá, Ana.' });
  await sendMessage(fixture.app, { to: '+244923456780', sender: 'LOJA', text: 'Olá, Rui.' });
  const inbox = await openInbox();
  await expect(inbox.letters.first()).toContainText('Para 923 456 780');
  await inbox.search('923456789');
  await expect(inbox.page.getByRole('heading', { name: '1 mensagem para 923 456 789' })).toBeVisible();
  await expect(inbox.letters.first()).toContainText('SMS de LOJA');
  await inbox.reply('923 456 789', 'PARAR');
  await expect(inbox.letters).toHaveCount(1);
  await expect(inbox.letters.first().getByRole('status')).toHaveText('Resposta enviada.');
  await until(async () => {
    const rows = await fixture.app.sql(`select body from inbox where rail = 'sms'`);
    return rows.some(({ body }) => {
      const { reply } = JSON.parse(body);
      return reply?.messageId === messageId && reply.text === 'PARAR';
    });
  }, 'the answer’s notification');
});

test('after an answer its message is open, however far down', async () => {
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

test('is accessible with long words, narrow and enlarged', async () => {
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
