// Account pages: the forms that request a mailed link, and the forms that such links open.
import type { Context } from 'koa';
import { z } from 'zod';
import { ACCOUNT_FIELDS, ACCOUNT_PAGES, type AccountPage, type AccountView } from '../../shared/account.ts';
import type { Language } from '../../shared/language.ts';
import type { Core } from '../core.ts';
import { em } from '../database/db.ts';
import { readTexts } from '../http/body.ts';
import { faultsOf } from '../http/validate.ts';
import { languageOf, pagePolicy, sendPage } from '../http/pages.ts';
import { invalidFields, Problem, type Answer } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { findLinkOwner, runInBackground } from './email-link.ts';
import { User, type MailTokenPurpose } from './entities.ts';
import { acceptInvitation, isInvited } from './invitation.ts';
import { listOfferingMerchants } from './memberships.ts';
import { resetPassword, sendReset } from './recover.ts';
import { forgetBrowser, isSameOrigin, isRegisteringBrowser, rememberBrowser } from './registering-browser.ts';
import { registerPerson, resendLink, verifyEmail } from './register.ts';
import { acceptance, emailRequest, findNewPasswordFaults, registration, resetRequest } from './schemas.ts';

/** Renders HTML documents. `styles` is the exact text of the style element, whose hash the security policy has. */
export type AccountRender = {
  styles: string;
  renderAccount(view: AccountView): string;
  /** Renders the error page of account pages. @param againUrl null if a reload would submit a form twice */
  renderAccountTrouble(lang: Language, againUrl: string | null): string;
  /** Renders the page for a URL below /account without a page, such as a link that a mail program cut. */
  renderAccountMissing(lang: Language): string;
};

/** Starts a console session for the person, and redirects the browser there. */
export type SignInPerson = (ctx: Context, user: User, address: string) => Promise<Answer>;

type Deps = { core: Core; render: AccountRender; script: string | null; signIn: SignInPerson };
type Fields = Record<string, string>;
type Visitor = { address: string; lang: AccountView['lang']; ctx: Context };

type Page = {
  /** `purposes`: purposes of the links that open this page. Empty: the page needs no link. */
  purposes: MailTokenPurpose[];
  /**
   * Processes the submitted form. Returns the user's id if the form also proves the right to sign in.
   * @throws Problem link_invalid, or validation_failed for the fields
   */
  submit(core: Core, fields: Fields, from: Visitor): Promise<string | void>;
};

const PAGES: Record<AccountPage, Page> = {
  register: {
    purposes: [],
    async submit(core, fields, { address, lang, ctx }) {
      const registrant = await registerPerson(core, { ...readPerson(registration, fields), language: lang }, address);
      // Another website's form must not make this browser confirm a password that the website chose.
      if (isSameOrigin(ctx)) rememberBrowser(core, ctx, registrant);
    },
  },
  resend: mailRequestPage(resendLink),
  'verify-email': {
    purposes: ['verify', 'claim'],
    // The reader of the mail types a password here, because another person may have registered the e-mail address.
    // A browser with the proof of the registration needs no password.
    async submit(core, fields, { address, ctx }) {
      const { token = '' } = fields;
      const isKnown = isSameOrigin(ctx) && (await findRegistrant(core, ctx, token));
      const userId = await verifyEmail(core, isKnown ? { token } : readFields(resetRequest, fields), address);
      forgetBrowser(core, ctx);
      return userId;
    },
  },
  reset: {
    purposes: ['reset'],
    submit: (core, fields, { address }) => resetPassword(core, readFields(resetRequest, fields), address),
  },
  invitation: {
    purposes: ['invite'],
    submit: (core, fields, { address, lang }) =>
      acceptInvitation(core, { ...readPerson(acceptance, fields), language: lang }, address),
  },
  recover: mailRequestPage(sendReset),
};

/** A page that answers before it sends the mail, so that its response time does not show whether the account exists. */
function mailRequestPage(send: (core: Core, email: string) => Promise<void>): Page {
  return {
    purposes: [],
    async submit(core, fields) {
      const { email } = readFields(emailRequest, fields);
      runInBackground(core, () => send(core, email));
    },
  };
}

/** Returns the owner of a confirmation link if this browser registered them. A repeated registration never matches. */
async function findRegistrant(core: Core, ctx: Context, token: string): Promise<User | null> {
  const owner = await findLinkOwner(core, core, token, 'verify');
  return owner && isRegisteringBrowser(core, ctx, owner) ? owner : null;
}

/** Declares the pages below `/account`. They are not part of the published API. */
export function accountPageRoutes(deps: Deps): Route[] {
  return ACCOUNT_PAGES.flatMap((page) => [declareForm(deps, page), declareSubmit(deps, page)]);
}

const hidden = { tag: 'Accounts', access: { kind: 'public' }, bucket: 'public', isHidden: true } as const;

function declareForm(deps: Deps, page: AccountPage): Route {
  return route({
    ...hidden,
    method: 'GET',
    path: `/account/${page}`,
    operationId: `open:${page}`,
    summary: 'Show an account form',
    answers: { 200: { description: 'The form', contentType: 'text/html' } },
    async run({ ctx }) {
      const { token } = ctx.query;
      return show(deps, ctx, { page, token: typeof token === 'string' ? token : '' });
    },
  });
}

function declareSubmit(deps: Deps, page: AccountPage): Route {
  const { core } = deps;
  return route({
    ...hidden,
    method: 'POST',
    // Pages that need no link send a link by mail.
    ...(PAGES[page].purposes.length === 0 && { mails: true }),
    path: `/account/${page}`,
    operationId: `submit:${page}`,
    summary: 'Submit an account form',
    acceptsForm: true,
    body: z.looseObject({}).nullish(),
    answers: { 200: { description: 'The result', contentType: 'text/html' } },
    async run({ ctx, body, address }) {
      const fields = readTexts(body);
      const { token = '' } = fields;
      try {
        const userId = await PAGES[page].submit(core, fields, { address, lang: languageOf(ctx), ctx });
        const user = userId && isSameOrigin(ctx) ? await em(core).findOne(User, { id: userId }) : null;
        // A second step, which an earlier account of the person may have, is asked for at the sign-in page.
        if (user && !user.totpConfirmedAt) return await deps.signIn(ctx, user, address);
        return await show(deps, ctx, { page, token: '', state: 'done', typed: fields });
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        if (error.code === 'link_invalid') return show(deps, ctx, { page, token: '', state: 'invalid' });
        const wrong = faultsByField(error);
        if (!wrong) throw error;
        return show(deps, ctx, { page, token, typed: fields, wrong });
      }
    },
  });
}

type PageState = Pick<AccountView, 'page' | 'token'> &
  Partial<Pick<AccountView, 'state' | 'wrong'>> & { typed?: Fields };

/** Renders the page in its current state. An invalid link hides all other faults. */
async function show(
  { core, render, script }: Deps,
  ctx: Context,
  { page, token, typed = {}, wrong = {}, state = 'form' }: PageState,
): Promise<Answer> {
  const needsLink = PAGES[page].purposes.length > 0;
  const owner = state === 'form' && needsLink ? await findOwner(core, page, token) : null;
  const isDead = state === 'invalid' || (state === 'form' && needsLink && !owner);
  // The HTML never contains the typed password.
  const kept = ACCOUNT_FIELDS.filter((name) => name !== 'password' && typed[name] !== undefined);
  const html = render.renderAccount({
    page,
    lang: languageOf(ctx),
    sandbox: core.config.isSandbox,
    state: isDead ? 'invalid' : state,
    token: isDead ? '' : token,
    email: owner?.email ?? null,
    registrant: page === 'verify-email' && owner ? nameOf(await findRegistrant(core, ctx, token)) : null,
    from: owner && page === 'invitation' ? await listOfferingMerchants(core, owner.id) : [],
    typed: Object.fromEntries(kept.map((name) => [name, String(typed[name]).slice(0, 254)])),
    wrong,
    script,
  });
  // No other page may frame this page or learn its URL, which holds a secret.
  sendPage(ctx, html, pagePolicy(render.styles, []), isDead || Object.keys(wrong).length > 0 ? 400 : 200);
  return { status: 0 };
}

const nameOf = (user: User | null) => user && `${user.firstName} ${user.lastName}`.trim();

/** Returns the owner of a mailed link. Null if the link is invalid or its invitation has expired. */
async function findOwner(core: Core, page: AccountPage, token: string): Promise<User | null> {
  const owner = await findLinkOwner(core, core, token, ...PAGES[page].purposes);
  return owner && (page !== 'invitation' || (await isInvited(core, owner, core.clock.now()))) ? owner : null;
}

/** Returns the first fault of each form field. Null if the problem concerns no field of the form. */
function faultsByField({ options }: Problem): AccountView['wrong'] | null {
  const faults = (options.faults ?? []).map(({ pointer, code }) => [pointer.slice(1), code] as const).reverse();
  const known = faults.filter(([name]) => ACCOUNT_FIELDS.some((field) => field === name));
  return known.length > 0 ? Object.fromEntries(known) : null;
}

/** Parses form fields by a schema. @throws Problem with every fault, including those in `also` */
function readFields<S extends z.ZodType>(
  schema: S,
  fields: Fields,
  also: Parameters<typeof invalidFields>[0] = [],
): z.output<S> {
  const read = schema.safeParse(fields);
  if (read.success && also.length === 0) return read.data;
  throw invalidFields([...(read.error ? faultsOf(read.error, fields) : []), ...also]);
}

/** Parses the form fields of name and password. An empty telephone field counts as absent. */
function readPerson<S extends z.ZodType>(schema: S, { phoneNumber, ...fields }: Fields): z.output<S> {
  const given = { ...fields, ...(phoneNumber?.trim() && { phoneNumber }) };
  return readFields(schema, given, findNewPasswordFaults(given));
}
