// Writes mail in the transaction of the change that causes it. The text stays encrypted until the mail is sent.
import type { Insertable } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { Language } from '../../shared/language.ts';
import type { ReceiptLine } from '../../shared/receipt.ts';
import type { Core } from '../core.ts';
import { prepared, type Db, type Tables } from '../database/db.ts';
import { composeLetter, type Letter, type NewLetter } from './texts.ts';

/** The purpose to which the encryption of mail is bound (core.keyring). */
export const SEALED_FOR = 'mail';

export type NewMail = NewLetter & {
  /** The recipient's e-mail address, normalized by shared/email.ts. */
  to: string;
  language: Language;
  /** The merchant of a mail to a customer. Its address is emptied with the mail's text. */
  merchantId?: string;
};

/** Writes a mail that is due immediately. `db` must be the transaction of the change. */
export async function writeMail(core: Pick<Core, 'keyring' | 'clock'>, db: Db, mail: NewMail): Promise<void> {
  const letter = composeLetter(mail.language, mail);
  const { text, html } = drawLetter(letter, mail.language);
  const now = core.clock.now();
  const row = {
    id: uuid(),
    merchantId: mail.merchantId ?? null,
    to: mail.to,
    subject: letter.subject,
    sealedText: core.keyring.seal(text, SEALED_FOR),
    sealedHtml: core.keyring.seal(html, SEALED_FOR),
    createdAt: now,
    dueAt: now,
  };
  await insertMail.run(db, { row });
}

const insertMail = prepared((tables, { row }: { row: Insertable<Tables['mails']> }) =>
  tables.insertInto('mails').values(row),
);

/** Formats a mail as plain text and as HTML. */
export function drawLetter(letter: Letter, language: Language): { text: string; html: string } {
  return { text: drawText(letter), html: drawHtml(letter, language) };
}

const HOUSE = 'Balcão';

function drawText({ greeting, paragraphs, rows, button, closing, settings }: Letter): string {
  const list = rows ? [rows.lines.map(({ label, value }) => `${label}${rows.colon}${value}`).join('\n')] : [];
  const action = button ? [`${button.label}:\n${button.link}`] : [];
  const choice = settings ? [`${settings.text}\n${settings.link}`] : [];
  return `${[greeting, ...paragraphs, ...list, ...action, ...closing, ...choice, HOUSE].join('\n\n')}\n`;
}

/** Colours of mail: the light colours of shared/tokens.css as values, since mail programs have no CSS variables. */
const COLOR = {
  paper: '#faf8f4',
  surface: '#fff',
  ink: '#1b1a17',
  quiet: '#655f55',
  line: '#e4dfd5',
  brand: '#0b5d5b',
} as const;

const STYLE = {
  body:
    `margin:0;padding:24px 12px;background:${COLOR.paper};color:${COLOR.ink};` +
    "font:16px/1.45 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif",
  card:
    'box-sizing:border-box;max-width:520px;margin:0 auto;padding:28px 24px;' +
    `border:1px solid ${COLOR.line};border-radius:12px;background:${COLOR.surface}`,
  title: 'margin:0 0 16px;font-size:20px;line-height:1.3;font-weight:650',
  line: 'margin:0 0 16px',
  button:
    'display:inline-block;padding:12px 20px;border-radius:12px;' +
    `background:${COLOR.brand};color:${COLOR.surface};font-weight:600;text-decoration:none`,
  table: 'width:100%;margin:0 0 16px;border-collapse:collapse',
  label: `padding:6px 12px 6px 0;color:${COLOR.quiet};font-weight:400;text-align:left;vertical-align:top`,
  value: 'padding:6px 0;text-align:right;vertical-align:top;overflow-wrap:anywhere',
  small: `margin:0 0 12px;color:${COLOR.quiet};font-size:14px;overflow-wrap:anywhere`,
  house: `max-width:520px;margin:16px auto 0;color:${COLOR.quiet};font-size:14px;text-align:center`,
};

function drawHtml(letter: Letter, language: Language): string {
  const { subject, greeting, paragraphs, rows, button, closing, settings } = letter;
  const line = (style: string, text: string) => `<p style="${style}">${escapeHtml(text)}</p>`;
  const link = button && escapeHtml(button.link);
  const choice = settings && escapeHtml(settings.link);
  const body = [
    `<h1 style="${STYLE.title}">${escapeHtml(subject)}</h1>`,
    ...[greeting, ...paragraphs].map((text) => line(STYLE.line, text)),
    rows && drawRows(rows.lines),
    button && `<p style="margin:24px 0"><a href="${link}" style="${STYLE.button}">${escapeHtml(button.label)}</a></p>`,
    ...closing.map((text) => line(STYLE.small, text)),
    // The mail shows the link's URL as text too, for mail programs without buttons and for people who check URLs.
    button && `<p style="${STYLE.small}"><a href="${link}" style="color:${COLOR.brand}">${link}</a></p>`,
    settings && line(STYLE.small, settings.text),
    settings && `<p style="${STYLE.small}"><a href="${choice}" style="color:${COLOR.brand}">${choice}</a></p>`,
  ].filter(Boolean);
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light">
<title>${escapeHtml(subject)}</title>
</head>
<body style="${STYLE.body}">
<div style="${STYLE.card}">
${body.join('\n')}
</div>
<p style="${STYLE.house}">${HOUSE}</p>
</body>
</html>
`;
}

function drawRows(lines: ReceiptLine[]): string {
  const rows = lines.map(
    ({ label, value }) =>
      `<tr><th scope="row" style="${STYLE.label}">${escapeHtml(label)}</th>` +
      `<td style="${STYLE.value}">${escapeHtml(value)}</td></tr>`,
  );
  return `<table style="${STYLE.table}">\n${rows.join('\n')}\n</table>`;
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char] as string);
}
