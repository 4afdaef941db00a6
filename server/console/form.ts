// Forms of the console's pages: reads them, checks their origin and token, and refuses forms of other websites.
import type { Context } from 'koa';
import { z } from 'zod';
import type { Act, ConsoleRender, ScreenRules } from '../../shared/console.ts';
import type { Core } from '../core.ts';
import { MAX_BYTES, RESOURCE_MAX_BYTES, readBody, readTexts } from '../http/body.ts';
import { languageOf, pagePolicy, sendPage } from '../http/pages.ts';
import type { Answer, Fault } from '../http/problem.ts';
import { readMultipart, type SentFile, type SentForm } from './multipart.ts';
import { isFormToken, type SignedIn } from './session.ts';

export const formBody = z.looseObject({}).nullish();

/** A form may be three times as large as an API body: URL encoding writes one byte as three characters. */
const FORM_MAX_BYTES = 3 * RESOURCE_MAX_BYTES;

/** The maximum size of a screen's form. Only forms with file fields may be large. */
const maxFormBytes = ({ acts }: ScreenRules) =>
  Object.values(acts).some(({ files }) => files) ? MAX_BYTES : FORM_MAX_BYTES;

/** Reads a screen's form with its files. @throws Problem the same as for every request body */
export async function readForm(ctx: Context, screen: ScreenRules): Promise<SentForm> {
  const maxBytes = maxFormBytes(screen);
  if (ctx.is('multipart/form-data')) return readMultipart(ctx, maxBytes);
  return { texts: readTexts((await readBody(ctx, true, maxBytes)) as object | undefined), files: {} };
}

/**
 * Replaces typed texts by the content of the chosen files.
 * An unreadable file is a fault of `<field>.file` and leaves the typed text unchanged.
 */
export function readFiles(
  wanted: Act['files'],
  { texts, files }: SentForm,
): { form: SentForm['texts']; faults: Fault[] } {
  const form = { ...texts };
  const faults: Fault[] = [];
  for (const [field, kind] of Object.entries(wanted ?? {})) {
    const file = files[`${field}.file`];
    if (!file) continue;
    const read = KINDS[kind](file);
    if ('text' in read) form[field] = read.text;
    else faults.push({ pointer: `/${field}.file`, code: read.code });
  }
  return { form, faults };
}

type ReadFile = { text: string } | Pick<Fault, 'code'>;

const KINDS: Record<'text' | 'picture' | 'bytes', (file: SentFile) => ReadFile> = {
  text({ bytes, isCut }) {
    if (isCut) return { code: 'too_long' };
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      return text.includes('\0') ? { code: 'file_encoding' } : { text };
    } catch {
      return { code: 'file_encoding' };
    }
  },
  bytes: ({ bytes, isCut }) => (isCut ? { code: 'too_long' } : { text: bytes.toString('base64') }),
  // A truncated picture is far above the size limit of a logo, so the operation refuses it.
  picture: ({ type, bytes }) => ({ text: `data:${type};base64,${bytes.toString('base64')}` }),
};

/** True if one of our pages sent the form, by its Origin and Sec-Fetch-Site headers. */
export function isOwnPage({ publicUrl }: Pick<Core, 'publicUrl'>, ctx: Context): boolean {
  const site = ctx.get('sec-fetch-site');
  if (site && site !== 'same-origin') return false;
  const origin = ctx.get('origin');
  return origin === new URL(publicUrl).origin || (URL.canParse(origin) && new URL(origin).host === ctx.get('host'));
}

/** True if one of our pages sent the form and its token belongs to this session. */
export function isOwnForm(core: Core, ctx: Context, { sessionId }: SignedIn, fields: Record<string, string>): boolean {
  return isOwnPage(core, ctx) && isFormToken(core, sessionId, fields['token'] ?? '');
}

/** Sends 403 for a form of another website, before the form has any effect. */
export function refuseForm({ publicUrl }: Core, render: ConsoleRender, ctx: Context): Answer {
  const html = render.renderTrouble(languageOf(ctx), `${publicUrl}/console`);
  sendPage(ctx, html, pagePolicy(render.styles, []), 403);
  return { status: 0 };
}

/** Redirects to a GET page, so that a reload does not send the form again. */
export function seeOther(ctx: Context, path: string): Answer {
  ctx.set('Location', path);
  return { status: 303 };
}
