// Renders a screen for a signed-in user: reads its data from the API, in the user's language.
import { randomUUID } from 'node:crypto';
import type { Context } from 'koa';
import { PROBLEMS } from '../../shared/errors.ts';
import { LANGUAGES, type Language } from '../../shared/language.ts';
import type {
  OperationCall,
  ConsoleRender,
  ScreenProps,
  ScreenLocation,
  FormRefusal,
  ScreenRules,
  Visitor,
} from '../../shared/console.ts';
import type { Core } from '../core.ts';
import type { Assets } from '../http/pages.ts';
import { Problem, type Answer } from '../http/problem.ts';
import type { Merchant } from '../merchants/entities.ts';
import { findMerchant } from '../merchants/find.ts';
import { countUnread } from '../notifications/unread.ts';
import { plainBody, type CallContext, type Operations } from './call-operation.ts';
import { showConsolePage } from './sign-in.ts';
import type { RunOnce } from './run-once.ts';
import { formTokenOf, type SignedIn } from './session.ts';

export type ConsoleServices = {
  core: Core;
  /** The core with the real clock, because sign-in does not follow the sandbox's own time. */
  signInCore: Core;
  assets: Assets;
  render: ConsoleRender;
  /** Returns what a merchant can charge now. The console calls payments only through this function and operations. */
  readPaymentReadiness(merchantId: string): Promise<Readiness>;
  /** Renders the hosted page with a merchant's brand, without a payment. */
  drawSpecimen(merchant: Merchant): { html: string; policy: string };
};

type Readiness = { methods: { isOffered: boolean; canCharge: boolean }[]; hasReceivedMoney: boolean };

export type ConsoleDeps = ConsoleServices & { operations: Operations; runOnce: RunOnce };

/** A signed-in user with the current request. */
export type SignedInRequest = CallContext & { signedIn: SignedIn };

/** Renders a screen. @throws Problem not_found for an unknown screen, or one that this user may not see */
export async function renderScreen(
  deps: ConsoleDeps,
  screen: ScreenRules,
  from: SignedInRequest,
  opened: ScreenLocation,
  refused: FormRefusal | null,
  formResult: ScreenProps<unknown>['formResult'] = null,
): Promise<Answer> {
  const { core, render, operations, assets } = deps;
  const visitor = await describeVisitor(deps, from);
  if (!visitor.may(screen.needs)) throw new Problem('not_found');
  // The event cursor is read before the data, so that no change is missed. A page that redraws has a stream already.
  const listens = screen.live && visitor.may('streamEvents') && !isLiveRequest(from.ctx);
  const feedCursor = listens ? await readCursor(deps, from) : null;
  const tags: Record<string, string> = {};
  const read = async (calls: Record<string, OperationCall | null>) => {
    const answers = Object.entries(calls).map(async ([name, operationCall]) => {
      const answer =
        operationCall &&
        (await operations.call(from, operationCall).catch((error: unknown) => orNull(operationCall, error)));
      if (answer?.headers?.['ETag']) tags[name] = answer.headers['ETag'];
      return [name, answer && plainBody(answer)] as const;
    });
    return Object.fromEntries(await Promise.all(answers)) as Record<string, unknown>;
  };
  const first = await read(screen.reads(opened, visitor));
  const data = { ...first, ...(screen.readsAfter && (await read(screen.readsAfter(first, opened)))) };
  const done = formResult?.act ?? opened.query['done'] ?? null;
  const at = { key: randomUUID(), now: core.clock.now() };
  const props: ScreenProps<unknown> = {
    visitor,
    opened,
    data,
    tags,
    formResult,
    done,
    refused,
    feedCursor,
    ...at,
  };
  const html = render.renderScreen(screen.path, props, assets.url('console/live.client.ts'));
  const status = refused ? PROBLEMS[refused.code as 'not_found'].status : 200;
  showConsolePage(render, from.ctx, html, status, screen.holdsFrames);
  return { status: 0 };
}

/** True if a page's script sent the request for a redraw. False if a person opened the page. */
export const isLiveRequest = (ctx: Context): boolean => ctx.get('x-balcao-live') !== '';

async function readCursor({ operations }: ConsoleDeps, from: SignedInRequest): Promise<string> {
  const { body } = await operations.call(from, { operation: 'listEvents', query: { after: 'now' } });
  return (body as { next: string }).next;
}

export async function describeVisitor(
  { core, operations, readPaymentReadiness }: ConsoleDeps,
  { ctx, caller, signedIn }: SignedInRequest,
): Promise<Visitor> {
  const { merchantId } = caller;
  const may = (operation: string) => operations.may(caller, operation);
  const [merchant, unread] = await Promise.all([
    merchantId ? findMerchant(core, merchantId) : null,
    merchantId && may('listNotifications') ? countUnread(core, merchantId, caller.scopes) : 0,
  ]);
  const { firstName, lastName, role, sessionId } = signedIn;
  return {
    lang: languageFor(ctx, signedIn),
    sandbox: core.config.isSandbox,
    name: `${firstName} ${lastName}`.trim(),
    role,
    merchant: merchant && { id: merchantId, name: merchant.name },
    gatewayUrl: core.publicUrl,
    operatorContact: core.config.OPERATOR_CONTACT,
    unread,
    ...(await readStart(readPaymentReadiness, caller, may)),
    formToken: formTokenOf(core, sessionId),
    may,
  };
}

/** Reads how far a shop is set up, for a role that sets it up. Other roles begin at their own screens. */
async function readStart(
  readPaymentReadiness: ConsoleServices['readPaymentReadiness'],
  { merchantId }: SignedIn['caller'],
  may: Visitor['may'],
): Promise<Pick<Visitor, 'isNew' | 'isStarting'>> {
  if (!merchantId) return { isNew: true, isStarting: true };
  if (!may('updateMerchant')) return { isNew: false, isStarting: false };
  const { methods, hasReceivedMoney } = await readPaymentReadiness(merchantId);
  const isMissing = methods.some(({ isOffered, canCharge }) => isOffered && !canCharge);
  return { isNew: !hasReceivedMoney, isStarting: !hasReceivedMoney || isMissing };
}

/** The user's language, unless the URL names another language. */
export function languageFor(ctx: Context, { language }: SignedIn): Language {
  return LANGUAGES.find((each) => each === ctx.query['lang']) ?? language;
}

/** The path and query of a request. */
export function locationOf(ctx: Context): ScreenLocation {
  const query = Object.entries(ctx.query).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value]] : [],
  );
  return { params: ctx['params'] as Record<string, string>, query: Object.fromEntries(query) };
}

function orNull(ask: OperationCall, error: unknown): null {
  const code = error instanceof Problem ? error.code : null;
  if ((ask.nullIfMissing && code === 'not_found') || (ask.nullIf && code === ask.nullIf)) return null;
  throw error;
}
