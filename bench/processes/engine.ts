// The callback engine of one node with nothing beside it: payments are recorded as the rail's word records them, and told.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { v7 as uuid } from 'uuid';
import { createDeliveries, wakeDeliveries } from '../../server/webhooks/queue.ts';
import { Endpoint } from '../../server/webhooks/entities.ts';
import { SEALED_ACCESS_KEY } from '../../server/webhooks/message.ts';
import { createTargets } from '../../server/webhooks/send.ts';
import { COST } from '../../server/people/password.ts';
import { systemClock } from '../../server/clock.ts';
import { readConfig } from '../../server/config.ts';
import type { Core } from '../../server/core.ts';
import { migrate } from '../../server/database/migrate.ts';
import { inTransaction, openDatabase } from '../../server/database/orm.ts';
import { em } from '../../server/database/db.ts';
import { entities } from '../../server/entities.ts';
import { createJobs, runJobs } from '../../server/jobs/engine.ts';
import { createChanges } from '../../server/changes/notify.ts';
import { Attempt, Payment } from '../../server/payments/core/entities.ts';
import { recordTransaction, UP_TO_MAX } from '../../server/payments/core/record-transaction.ts';
import { lockPayment } from '../../server/payments/core/rows.ts';
import { describeEvents } from '../../server/payments/core/event-snapshot.ts';
import { openKeyring } from '../../server/secrets.ts';
import { serveParent } from '../child.ts';
import { POOL_MAX } from '../stage.ts';
import { openWallClock } from '../wall.ts';
import { openRailAccounts } from '../../server/rails/rail-accounts.ts';
import { ownKeys, ownRails } from '../../server/rails/node-rails.ts';

type Code = { merchantId: string; paymentId: string; attemptId: string };

const wallMs = openWallClock();
let core: Core;
let codes: Code[] = [];

serveParent({
  /** Begins on an empty database: so many merchants, each with an endpoint at a path of `sinkUrl` and a QR code. */
  async open({ databaseUrl, sinkUrl, count }: { databaseUrl: string; sinkUrl: string; count: number }): Promise<void> {
    core = await openCore(databaseUrl);
    const deliveries = createDeliveries({
      core,
      targets: createTargets(core, 'http://127.0.0.1:1'),
      describe: (events) => describeEvents(core, events),
    });
    core.listeners.add(deliveries);
    void runJobs(core, [deliveries.queue], [deliveries.lookOut]);
    codes = await Promise.all(Array.from({ length: count }, (_, nth) => addMerchant(`${sinkUrl}/m${nth}`)));
  },
  /** So many payments a second, of the codes in turn; answers the rail's ids of the money, and when the database had said that each is committed. */
  async pay({ perSecond, count }: { perSecond: number; count: number }): Promise<[string, number][]> {
    const committed: [string, number][] = [];
    const recorded: Promise<void>[] = [];
    const startedAt = performance.now();
    for (let nth = 0; nth < count; nth++) {
      const waitMs = startedAt + (nth * 1000) / perSecond - performance.now();
      if (waitMs > 0) await pause(waitMs);
      const id = randomUUID();
      const note = () => void committed.push([id, wallMs()]);
      recorded.push(recordPayment(codes[nth % codes.length] as Code, id, note));
    }
    await Promise.all(recorded);
    return committed;
  },
  /** Looks for what is due, of every merchant. */
  wake(): void {
    for (const { merchantId } of codes) wakeDeliveries(core, merchantId);
  },
});

async function openCore(databaseUrl: string): Promise<Core> {
  const SECRETS_KEYS = `bench:${Buffer.alloc(32, 7).toString('base64')}`;
  const config = readConfig({ DATABASE_URL: databaseUrl, SECRETS_KEYS, CALLBACK_ALLOW_LOOPBACK: 'true' });
  const database = await openDatabase(databaseUrl, { entities, poolMax: POOL_MAX });
  await migrate(database);
  const keyring = openKeyring(config);
  const log = pino({ level: 'warn' }, process.stderr);
  const base = { config, clock: systemClock, ...database, changes: await createChanges(), keyring, log };
  return {
    ...base,
    jobs: createJobs(),
    rails: await openRailAccounts(base, ownRails(base, ownKeys(base), 'http://localhost/sandbox/rail')),
    reading: (read) => read(database),
    passwordCost: COST,
    publicUrl: 'http://localhost',
    isOnTime: () => true,
    inBackground: () => {},
    draining: new AbortController().signal,
    stopping: new AbortController().signal,
  };
}

async function addMerchant(url: string): Promise<Code> {
  const [merchantId, paymentId, attemptId] = [uuid(), uuid(), uuid()];
  const now = new Date();
  const accessKey = core.keyring.seal('the-key-of-the-bench', SEALED_ACCESS_KEY);
  const times = { createdAt: now, updatedAt: now };
  await em(core).insert(Endpoint, { id: uuid(), merchantId, kind: 'callback', url, accessKey, ...times });
  const sale = { reference: 'BENCH', amountMinor: 1_525_050, currency: 'AOA', description: 'Mesa 4' };
  const code = { paymentType: 'GPO', paymentMethod: 'qrcode', qrContent: 'BENCH', maxTransactions: 100_000 } as const;
  const state = { status: 'Pending', revision: 1, createdAt: now } as const;
  await em(core).insert(Payment, { id: paymentId, merchantId, ...sale, ...code, ...state });
  const attempt = { id: attemptId, paymentId, kind: 'qrcode', status: 'Approved' } as const;
  await em(core).insert(Attempt, { ...attempt, createdAt: now, sentAt: now });
  return { merchantId, paymentId, attemptId };
}

/** What the rail's notification of a scan comes to. */
function recordPayment({ paymentId, attemptId }: Code, providerRef: string, onCommit: () => void): Promise<void> {
  return inTransaction(core, async (db) => {
    // The first to hear of it, before the engine.
    db.afterCommit?.(onCommit);
    const payment = await lockPayment.one(db, { id: paymentId });
    const occurredAt = new Date();
    const times = { creationDate: occurredAt.toISOString(), updatedDate: occurredAt.toISOString() };
    const details = {
      transactionNumber: '4711',
      clearingPeriod: '20',
      transactionType: 'PURCHASE',
      orderOrigin: 'QRCODE',
    };
    const money = {
      providerRef,
      amountMinor: 1_525_050,
      currency: 'AOA',
      occurredAt,
      details: { ...details, ...times },
    };
    await recordTransaction(
      { db, payment, attemptId, rail: 'gpo', via: 'notification', at: occurredAt },
      money,
      UP_TO_MAX,
    );
  });
}
