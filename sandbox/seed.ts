// Seeds the sandbox's demo merchant with public credentials, so that a first payment needs no setup.
import { createHash, randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { endOf, monthOf } from '../shared/luanda.ts';
import { DEMO_CLIENT_ID, DEMO_SLUG } from '../shared/sandbox.ts';
import type { Clock } from '../server/clock.ts';
import type { Config } from '../server/config.ts';
import { query, type Db, type Tables } from '../server/database/db.ts';
import { SIMULATED_ENTITY, simulatedIds } from '../shared/simulated.ts';
import type { Keyring } from '../server/secrets.ts';

export const DEMO = {
  clientId: DEMO_CLIENT_ID,
  merchantId: '00000000-0000-7000-8000-00000000de30',
  posId: 'demo-pos',
  linkId: '00000000-0000-7000-8000-00000000de31',
  /** The access key that the demo shop's server expects in its callbacks. */
  accessKey: 'demo-access-key-0001',
} as const;

/** The path of the demo shop's callback URL. */
export const HOOK_PATH = '/sandbox/callbacks/hook';

export type SeedOptions = Db & {
  config: Config;
  clock: Clock;
  keyring: Keyring;
  publicUrl: string;
  secret: string;
  scopes: readonly string[];
};

/**
 * Creates the demo merchant at the sandbox's first start.
 * Later starts renew only those values of the demo merchant that depend on the configuration.
 */
export async function seedDemo(options: SeedOptions): Promise<void> {
  const now = options.clock.now();
  await seedMerchant(options, now);
  await equipMerchants(options);
  await seedClient(options, now);
  await seedTerminal(options, now);
  await seedEndpoint(options, now);
  await renewEndpoint(options, now);
  await seedPlans(options, now);
  await seedBilling(options, now);
  await seedUnits(options, now);
  await seedLink(options, now);
}

async function seedMerchant(options: SeedOptions, now: Date): Promise<void> {
  const origins = [new URL(options.publicUrl).origin];
  await query((tables) =>
    tables
      .insertInto('merchants')
      .values({
        id: DEMO.merchantId,
        name: 'Loja da Ilha',
        defaultLanguage: 'pt',
        allowedOrigins: origins,
        returnOrigins: origins,
        gpoMerchantIds: ['demo-merchant'],
        gpoPosIds: [DEMO.posId],
        entity: SIMULATED_ENTITY,
        createdAt: now,
      })
      .onConflict((on) =>
        on.column('id').doUpdateSet((eb) => ({
          allowedOrigins: eb.ref('excluded.allowedOrigins'),
          returnOrigins: eb.ref('excluded.returnOrigins'),
          entity: eb.fn.coalesce('merchants.entity', 'excluded.entity'),
        })),
      ),
  ).run(options);
}

/** Assigns rail ids to merchants of a data folder from an earlier release, in which merchants had no such ids. */
async function equipMerchants(options: SeedOptions): Promise<void> {
  const bare = await query((tables) =>
    tables
      .selectFrom('merchants')
      .select('id')
      .where('entity', 'is', null)
      .where((eb) => eb('gpoMerchantIds', '=', eb.val<string[]>([])))
      .where((eb) => eb('gpoPosIds', '=', eb.val<string[]>([]))),
  ).all(options);
  for (const { id } of bare) {
    const ids = simulatedIds(options.config, id);
    await query((tables) => tables.updateTable('merchants').set(ids).where('id', '=', id)).run(options);
  }
}

async function seedClient(options: SeedOptions, now: Date): Promise<void> {
  const secretHash = createHash('sha256').update(options.secret).digest('base64url');
  const client = { secretHash, scopes: [...options.scopes] };
  await query((tables) =>
    tables
      .insertInto('clients')
      .values({ id: DEMO.clientId, merchantId: DEMO.merchantId, name: 'Demo', ...client, createdAt: now })
      .onConflict((on) => on.column('id').doUpdateSet(client)),
  ).run(options);
}

/** Creates the demo terminal in the state that the simulator gives to a new terminal. */
async function seedTerminal(db: Db, now: Date): Promise<void> {
  const { merchantId, posId } = DEMO;
  await query((tables) =>
    tables
      .insertInto('terminals')
      .values({ id: merchantId, merchantId, posId, status: 'Open', period: '1', changedAt: now })
      // Two nodes that start at the same time may create the same id.
      .onConflict((on) => on.doNothing()),
  ).run(db);
}

const findEndpoint = (tables: Kysely<Tables>) =>
  tables.selectFrom('endpoints').select('id').where('merchantId', '=', DEMO.merchantId).where('kind', '=', 'callback');

/** Creates the demo shop's callback endpoint. A later change or removal by the merchant stays. */
async function seedEndpoint(options: SeedOptions, now: Date): Promise<void> {
  const accessKey = options.keyring.seal(DEMO.accessKey, 'callback access key');
  await query((tables) =>
    tables
      .insertInto('endpoints')
      .columns(['id', 'merchantId', 'kind', 'url', 'accessKey', 'createdAt', 'updatedAt'])
      .expression(
        tables
          .selectNoFrom((eb) => [
            eb.cast<string>(eb.val(randomUUID()), 'uuid').as('id'),
            eb.cast<string>(eb.val(DEMO.merchantId), 'uuid').as('merchantId'),
            eb.val('callback' as const).as('kind'),
            eb.val(options.publicUrl + HOOK_PATH).as('url'),
            eb.val(accessKey).as('accessKey'),
            eb.cast<Date>(eb.val(now), 'timestamptz').as('createdAt'),
            eb.cast<Date>(eb.val(now), 'timestamptz').as('updatedAt'),
          ])
          .where((eb) => eb.not(eb.exists(findEndpoint(tables)))),
      )
      .onConflict((on) => on.doNothing()),
  ).run(options);
}

/** Updates the endpoint after a change of the sandbox's port or name, and clears the old URL's failures. */
async function renewEndpoint(options: SeedOptions, now: Date): Promise<void> {
  const url = options.publicUrl + HOOK_PATH;
  await query((tables) =>
    tables
      .updateTable('endpoints')
      .set({ url, failures: 0, failingSince: null, probeAt: null, updatedAt: now })
      .where('merchantId', '=', DEMO.merchantId)
      .where('kind', '=', 'callback')
      .where('deletedAt', 'is', null)
      .where('url', '<>', url)
      .where('url', '~', `^https?://[^/]+${HOOK_PATH}$`),
  ).run(options);
}

/** Example plans, with prices in kwanzas without VAT (IVA). The demo merchant starts with the second plan. */
const PLANS = [
  { id: '00000000-0000-7000-8000-00000000b001', name: 'Banca', fee: 0, included: 50, each: 7_500 },
  { id: '00000000-0000-7000-8000-00000000b002', name: 'Loja', fee: 1_500_000, included: 500, each: 5_000 },
  { id: '00000000-0000-7000-8000-00000000b003', name: 'Mercado', fee: 9_000_000, included: 5_000, each: 2_500 },
] as const;

async function seedPlans(db: Db, now: Date): Promise<void> {
  const plans = PLANS.map(({ id, name, fee, included, each }) => {
    const prices = { monthlyFeeMinor: fee, includedPayments: included, paymentFeeMinor: each };
    return { id, name, ...prices, createdAt: now };
  });
  await query((tables) =>
    tables
      .insertInto('plans')
      .values(plans)
      .onConflict((on) => on.column('id').doNothing()),
  ).run(db);
}

/** Subscribes the demo merchant to a plan once. The merchant's later choice stays. */
async function seedBilling(db: Db, now: Date): Promise<void> {
  const month = monthOf(now);
  await query((tables) =>
    tables
      .with('account', (part) =>
        part
          .insertInto('billing_accounts')
          .values({ id: DEMO.merchantId, nextMonth: month, dueAt: endOf(month) })
          .onConflict((on) => on.column('id').doNothing())
          .returning(['id', 'nextMonth']),
      )
      .insertInto('subscriptions')
      .columns(['merchantId', 'month', 'planId', 'createdAt'])
      .expression((eb) =>
        eb
          .selectFrom('account')
          .select([
            'account.id',
            'account.nextMonth',
            eb.cast<string>(eb.val(PLANS[1].id), 'uuid').as('planId'),
            eb.cast<Date>(eb.val(now), 'timestamptz').as('createdAt'),
          ]),
      ),
  ).run(db);
}

const FIRST_UNITS = 1_000;

/** Grants SMS units to the demo merchant once. Used units are not granted again. */
async function seedUnits(db: Db, now: Date): Promise<void> {
  await query((tables) =>
    tables
      .with('account', (part) =>
        part
          .insertInto('sms_accounts')
          .values({ merchantId: DEMO.merchantId, balance: FIRST_UNITS, updatedAt: now })
          .onConflict((on) => on.column('merchantId').doNothing())
          .returning(['merchantId', 'balance']),
      )
      .insertInto('sms_ledger')
      .columns(['id', 'merchantId', 'kind', 'quantity', 'balanceAfter', 'description', 'createdAt'])
      .expression((eb) =>
        eb
          .selectFrom('account')
          .select([
            eb.cast<string>(eb.val(randomUUID()), 'uuid').as('id'),
            'account.merchantId',
            eb.val('credit' as const).as('kind'),
            'account.balance',
            'account.balance as balanceAfter',
            eb.val('Oferta do ambiente de testes').as('description'),
            eb.cast<Date>(eb.val(now), 'timestamptz').as('createdAt'),
          ]),
      ),
  ).run(db);
}

/**
 * Creates a sample payment link. The payer returns to the sandbox's current URL.
 * The merchant's later change or withdrawal of the sample link stays.
 */
async function seedLink(options: SeedOptions, now: Date): Promise<void> {
  await query((tables) =>
    tables
      .insertInto('links')
      .values({
        id: DEMO.linkId,
        merchantId: DEMO.merchantId,
        slug: DEMO_SLUG,
        title: 'Um café para a equipa da loja',
        minMinor: 100_00,
        maxMinor: 50_000_00,
        currency: 'AOA',
        asks: ['name'],
        thanks: 'Muito obrigado! O café é por sua conta.',
        returnUrl: `${options.publicUrl}/demo`,
        createdAt: now,
        updatedAt: now,
      })
      .onConflict((on) => on.column('id').doUpdateSet((eb) => ({ returnUrl: eb.ref('excluded.returnUrl') }))),
  ).run(options);
}
