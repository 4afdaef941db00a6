// Client of the simulated rail's phones: reads the pushes of a phone and answers them.
import { z } from 'zod';
import type { Clock } from '../server/clock.ts';
import { showMoney, toMinor } from '../shared/money.ts';
import { normalizePhone } from '../shared/phone.ts';
import { callJson, readAnswer, RemoteError, type RemoteAnswer, type RemoteRequest } from './remote.ts';
import type { PushView } from '../shared/sandbox.ts';

export type RailOptions = {
  /** The simulator's base URL, such as `http://127.0.0.1:8080/sandbox/rail`. */
  railUrl: () => string;
  apiUrl: () => string;
  password: string | null;
  clock: Clock;
  /** Finds the name of the merchant with a GPO merchant id. Null if the id is unknown. */
  findName(gpoMerchantId: string): Promise<string | null>;
};

export const VERDICTS = ['approve', 'decline'] as const;
export type Verdict = (typeof VERDICTS)[number];

export type RailPhones = {
  /** Lists the phone numbers (nine digits) with pushes that wait for a person. */
  listWaiting(): Promise<{ number: string; waiting: number }[]>;
  /** Lists the pushes of a phone, newest first. */
  listPushes(number: string): Promise<PushView[]>;
  /** Answers a push. A decided or expired push stays unchanged, and the next list shows its state. */
  answerPush(id: string, verdict: Verdict): Promise<void>;
};

const phonesSchema = z.object({ data: z.array(z.object({ phone: z.string(), waiting: z.number() })) });

const pushesSchema = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      status: z.enum(['PENDING', 'APPROVED', 'DECLINED']),
      /** The kind of a push. `authorization`: the money is only reserved. */
      kind: z.string().nullish(),
      reason: z.string().nullish(),
      reference: z.string(),
      amount: z.string(),
      currency: z.string(),
      description: z.string().nullish(),
      merchantId: z.string().nullish(),
      merchantName: z.string().nullish(),
      createdAt: z.string(),
      decidedAt: z.string().nullish(),
      expiresAt: z.string(),
    }),
  ),
});

export function connectRail(options: RailOptions): RailPhones {
  const call = (method: RemoteRequest['method'], path: string) => callRail(options, method, path);
  return {
    async listWaiting() {
      const { data } = readAnswer(await call('GET', '/phones'), phonesSchema);
      return data.map(({ phone, waiting }) => ({ number: localOf(phone), waiting }));
    },
    async listPushes(number) {
      const { data } = readAnswer(
        await call('GET', `/phones/${encodeURIComponent(`+244${number}`)}/pushes`),
        pushesSchema,
      );
      return Promise.all(data.map((push) => viewPush(options, push)));
    },
    async answerPush(id, verdict) {
      const { status } = await call('POST', `/pushes/${encodeURIComponent(id)}/${verdict}`);
      if (status >= 500) throw new RemoteError(`could not answer push: status ${status}`);
    },
  };
}

/** Calls the simulated rail, with the body as JSON. @throws RemoteError if the answer is not JSON */
export function callRail(
  { railUrl, apiUrl, password, clock }: RailOptions,
  method: RemoteRequest['method'],
  path: string,
  body?: object,
): Promise<RemoteAnswer> {
  const url = railUrl() + path;
  // Our own simulator is behind the sandbox's guard, so it gets the password. Another rail must not receive it.
  const isOurs = password !== null && new URL(url).origin === new URL(apiUrl()).origin;
  const headers = {
    ...(isOurs && { Authorization: `Basic ${Buffer.from(`:${password}`).toString('base64')}` }),
    ...(body && { 'Content-Type': 'application/json' }),
  };
  return callJson(clock, { method, url, headers, ...(body && { body: JSON.stringify(body) }) });
}

/** The nine digits of an Angolan mobile number in any common format. Any other text stays unchanged. */
function localOf(phone: string): string {
  return normalizePhone(phone)?.slice('+244'.length) ?? phone;
}

/** The merchant's name that payers see. The simulator has no list of merchants, so it uses the gateway's names. */
export async function nameMerchant(
  { findName }: Pick<RailOptions, 'findName'>,
  { merchantId, merchantName }: { merchantId?: string | null | undefined; merchantName?: string | null | undefined },
): Promise<string | null> {
  return merchantName ?? (merchantId ? ((await findName(merchantId)) ?? merchantId) : null);
}

async function viewPush(options: RailOptions, push: z.output<typeof pushesSchema>['data'][number]): Promise<PushView> {
  const amount = toMinor(push.amount, push.currency);
  return {
    id: push.id,
    state: ({ PENDING: 'waiting', APPROVED: 'approved', DECLINED: 'declined' } as const)[push.status],
    reason: push.reason?.toLowerCase() ?? null,
    isReservation: push.kind === 'authorization',
    merchant: await nameMerchant(options, push),
    reference: push.reference,
    description: push.description ?? null,
    amountText: 'minor' in amount ? showMoney(amount.minor, push.currency) : `${push.amount} ${push.currency}`,
    decidedAt: push.decidedAt ?? null,
    expiresAt: push.expiresAt,
  };
}
