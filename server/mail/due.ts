// Sends due mail to the mail server, and repeats failed attempts for a day. No transaction is open during an attempt.
// A repeated mail has the same Message-ID.
import type { Updateable } from 'kysely';
import type { Core } from '../core.ts';
import { prepared, type Tables } from '../database/db.ts';
import { dueQueue, type Claim, type DueQueue } from '../jobs/due.ts';
import type { Mail } from './entities.ts';
import { maskAddress, type Post } from './post.ts';
import { SEALED_FOR } from './write.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/durations.ts';

/** Lease of a claimed mail, longer than a batch at a silent server. Otherwise two nodes could send the same mail. */
const LEASE_MS = 5 * MINUTE_MS;
const RETRIES_MS = [10_000, MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS];
const GIVE_UP_MS = DAY_MS;

/** Creates the queue of due mail. A stopping node finishes its running attempts and leaves the rest to other nodes. */
export function mailQueue(core: Core, post: Post): DueQueue {
  core.stopping.addEventListener('abort', () => post.close(), { once: true });
  return dueQueue(core, { table: 'mails', leaseMs: LEASE_MS, run: (claim) => sendMail(core, post, claim) });
}

async function sendMail(core: Core, post: Post, claim: Claim): Promise<void> {
  const mail = await findClaimed.first(core, claim);
  if (!mail) return;
  const { id, to, subject, createdAt, sealedText, sealedHtml } = mail;
  const [text, html] = [sealedText, sealedHtml].map((sealed) => core.keyring.open(sealed, SEALED_FOR)) as [
    string,
    string,
  ];
  const failure = await post.hand({ id, to, subject, text, html, at: createdAt });
  if (!failure) return noteSent(core, mail);
  const nextAt = failure.isFinal ? null : nextTryAt(createdAt, core.clock.now(), claim.dueCount);
  await noteFailure(core, mail, claim, { line: failure.line, nextAt });
}

const findClaimed = prepared((tables, { id, dueCount }: Claim) =>
  tables
    .selectFrom('mails')
    .selectAll()
    .where('id', '=', id)
    .where('dueCount', '=', dueCount)
    .where('sentAt', 'is', null),
);

/** Returns the time of the next attempt: 10 s, 1, 5, 15 min and 1 h after failures, then hourly. Null after a day. */
export function nextTryAt(writtenAt: Date, now: Date, tries: number): Date | null {
  const delayMs = RETRIES_MS[Math.min(tries, RETRIES_MS.length) - 1] as number;
  const at = now.getTime() + delayMs;
  return at < writtenAt.getTime() + GIVE_UP_MS ? new Date(at) : null;
}

/**
 * Columns of a finished mail: its text is emptied, because the links in it open accounts.
 * The address of a customer is emptied too, because only the mail needs it.
 */
const emptied = ({ merchantId }: Mail) => ({
  sealedText: '',
  sealedHtml: '',
  dueAt: null,
  ...(merchantId && { to: '' }),
});

/** Records that the mail was sent, even if another node has claimed the mail since. */
async function noteSent(core: Core, mail: Mail): Promise<void> {
  const { id, to } = mail;
  await changeMail.run(core, { id, set: { ...emptied(mail), sentAt: core.clock.now(), error: null } });
  core.log.info({ mailId: id, to: maskAddress(to) }, 'mail sent');
}

const changeMail = prepared((tables, { id, set }: { id: string; set: Updateable<Tables['mails']> }) =>
  tables.updateTable('mails').set(set).where('id', '=', id),
);

async function noteFailure(
  core: Core,
  mail: Mail,
  { dueCount }: Claim,
  { line, nextAt }: { line: string; nextAt: Date | null },
): Promise<void> {
  const { id, to } = mail;
  const set = nextAt ? { dueAt: nextAt, error: line } : { ...emptied(mail), error: line };
  const noted = await changeClaimed.run(core, { id, dueCount, set });
  if (noted === 0) return;
  const about = { mailId: id, to: maskAddress(to), error: line, nextAt };
  core.log.warn(about, nextAt ? 'could not send mail; will retry' : 'could not send mail; giving up');
}

const changeClaimed = prepared((tables, { id, dueCount, set }: Claim & { set: Updateable<Tables['mails']> }) =>
  tables
    .updateTable('mails')
    .set(set)
    .where('id', '=', id)
    .where('dueCount', '=', dueCount)
    .where('sentAt', 'is', null),
);
