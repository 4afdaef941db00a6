// Mails notifications to the people of the merchant who want them.
// Each person gets at most one mail an hour about a type of notification.
import { HOUR_MS, MINUTE_MS } from '../../shared/durations.ts';
import type { Language } from '../../shared/language.ts';
import { hasNoticeByMail, noticePathTo } from '../../shared/notices.ts';
import type { Core } from '../core.ts';
import { prepared, query, takeLock, type Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { dueQueue, type Claim, type DueQueue } from '../jobs/due.ts';
import { writeMail } from '../mail/write.ts';
import { describeNotices, type NotificationPage } from './find.ts';
import { isBy, viewNotification } from './view.ts';

const LEASE_MS = MINUTE_MS;
/** The time between two mails about one type of notification to a merchant's people. */
const QUIET_MS = HOUR_MS;
/** The notifications that a mail contains word for word. It counts the others. */
const MAX_SHOWN = 5;
/** The notifications that one mail covers. */
const MAX_WAITING = 1_000;

/** Creates the queue of notifications that are not mailed yet. */
export function noticeMailQueue(core: Core): DueQueue {
  return dueQueue(core, { table: 'notifications', leaseMs: LEASE_MS, run: (claim) => mailNotices(core, claim) });
}

/** The notifications of one merchant that share their mails. */
type Kind = { merchantId: string; type: string };

async function mailNotices(core: Core, claim: Claim): Promise<void> {
  const kind = await findKind.first(core, claim);
  if (!kind) return;
  await inTransaction(core, async (db) => {
    // Jobs of the same kind wait here, so that the first of them mails the notifications of all.
    await takeLock(db, `mail of notices ${kind.merchantId} ${kind.type}`);
    const now = core.clock.now();
    const { at } = await findLastMail.one(db, kind);
    if (at && at.getTime() + QUIET_MS > now.getTime())
      return postpone.run(db, { ...kind, dueAt: new Date(at.getTime() + QUIET_MS) });
    const waiting = await listWaiting(db, kind);
    const isMailed = waiting.length > 0 && (await writeToPeople(core, db, kind, waiting));
    const upTo = waiting.at(-1)?.seq ?? 0;
    return finish.run(db, { ...kind, upTo, mailedAt: isMailed ? now : null });
  });
}

const findKind = prepared((tables, { id, dueCount }: Claim) =>
  tables
    .selectFrom('notifications')
    .select(['merchantId', 'type'])
    .where('id', '=', id)
    .where('dueCount', '=', dueCount)
    .where('dueAt', 'is not', null),
);

const findLastMail = prepared((tables, { merchantId, type }: Kind) =>
  tables
    .selectFrom('notifications')
    .select((eb) => eb.fn.max('mailedAt').as('at'))
    .where('merchantId', '=', merchantId)
    .where('type', '=', type)
    .where('mailedAt', 'is not', null),
);

const postpone = prepared((tables, { merchantId, type, dueAt }: Kind & { dueAt: Date }) =>
  tables
    .updateTable('notifications')
    .set({ dueAt })
    .where('merchantId', '=', merchantId)
    .where('type', '=', type)
    .where('dueAt', 'is not', null),
);

const finish = prepared(
  (tables, { merchantId, type, upTo, mailedAt }: Kind & { upTo: number; mailedAt: Date | null }) =>
    tables
      .updateTable('notifications')
      .set({ dueAt: null, mailedAt })
      .where('merchantId', '=', merchantId)
      .where('type', '=', type)
      .where('seq', '<=', upTo)
      .where('dueAt', 'is not', null),
);

/** The waiting notifications, the oldest first. */
async function listWaiting(db: Db, { merchantId, type }: Kind): Promise<NotificationPage[]> {
  const newestFirst = await query((tables) =>
    describeNotices(
      tables,
      tables
        .selectFrom('notifications')
        .selectAll()
        .where('merchantId', '=', merchantId)
        .where('type', '=', type)
        .where('dueAt', 'is not', null)
        .orderBy('seq')
        .limit(MAX_WAITING),
    ),
  ).all(db);
  return (newestFirst as NotificationPage[]).reverse();
}

/** Writes one mail to each person who wants this type. False if no person wants it. */
async function writeToPeople(core: Core, db: Db, { merchantId, type }: Kind, waiting: NotificationPage[]) {
  const people = await listPeople.all(db, { merchantId });
  let isMailed = false;
  for (const { userId, email: to, role, language, noticeMail, merchant } of people) {
    if (!hasNoticeByMail(role, noticeMail, type)) continue;
    const theirs = waiting.filter((notice) => !isBy(notice, userId));
    if (theirs.length === 0) continue;
    const values = { merchant, ...describeMail(core, theirs, language) };
    await writeMail(core, db, { to, language, template: 'notices', values });
    isMailed = true;
  }
  return isMailed;
}

const listPeople = prepared((tables, { merchantId }: { merchantId: string }) =>
  tables
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.userId')
    .innerJoin('merchants as s', 's.id', 'm.merchantId')
    .select(['m.userId', 'm.role', 'u.email', 'u.language', 'u.noticeMail', 's.name as merchant'])
    .where('m.merchantId', '=', merchantId)
    .where('m.acceptedAt', 'is not', null)
    .where('u.verifiedAt', 'is not', null)
    .orderBy('m.userId'),
);

function describeMail({ publicUrl }: Core, notices: NotificationPage[], language: Language) {
  const views = notices.map((notice) => viewNotification(notice, language, null));
  const paths = new Set(views.map(({ objecto }) => objecto && noticePathTo(objecto)));
  const [path] = paths;
  return {
    title: views[0]?.titulo ?? '',
    messages: views.slice(0, MAX_SHOWN).map(({ mensagem }) => mensagem),
    more: Math.max(0, views.length - MAX_SHOWN),
    link: publicUrl + ((paths.size === 1 && path) || '/console/notices'),
    settingsLink: `${publicUrl}/console/account#notices`,
  };
}
