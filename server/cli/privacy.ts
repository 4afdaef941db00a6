// balcao privacy: one person's data over all merchants, for the operator.
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { inTransaction } from '../database/orm.ts';
import { recordAudit } from '../audit/record.ts';
import { listErasures, orderErasure, viewErasure } from '../privacy/erasures.ts';
import { writeExport } from '../privacy/export.ts';
import { checkSubject, subjectOf, subjectRequest, type Subject } from '../privacy/subject.ts';
import { CommandError, drawTable, readCount, textOf, UsageError, type Call, type Output } from './command.ts';
import type { Desk, Group } from './subcommand.ts';

const SUBJECT = {
  phone: { type: 'string', value: 'number', about: 'of the person, in any spelling' },
  email: { type: 'string', value: 'address', about: 'of the person; one of the two' },
} as const;

export const privacy: Group = {
  export: {
    about: 'write everything held of one payer or contact into a new file, as JSON',
    takes: ['file'],
    options: SUBJECT,
    run: exportPerson,
  },
  erase: {
    about: 'erase one payer or contact; books stay without them',
    takes: [],
    options: SUBJECT,
    notes: `Running nodes do it; what is under way is erased when it is over. privacy list says how far it is.`,
    asks: 'always',
    run: erasePerson,
  },
  list: {
    about: 'erasures that were asked for, by merchants and here, the newest first',
    takes: [],
    options: { limit: { type: 'string', value: 'count', default: '50', about: 'the newest of them' } },
    run: showErasures,
  },
};

function readSubject(call: Call): Subject {
  const asked = { phone: textOf(call, 'phone'), email: textOf(call, 'email') };
  const { data } = subjectRequest.safeParse(asked);
  if (!data || checkSubject(asked).length > 0)
    throw new UsageError('This takes --phone or --email: an Angolan mobile number, or an address.');
  return subjectOf(data);
}

async function exportPerson({ core, actor, call, given }: Desk): Promise<Output> {
  const subject = readSubject(call);
  const at = core.clock.now();
  await inTransaction(core, (db) => recordAudit(db, { merchantId: null, actor, action: 'privacy.exported', at }));
  const file = String(given[0]);
  // It is about a person: for whoever asked, and for nobody else on the machine.
  const written = createWriteStream(file, { flags: 'wx', mode: 0o600 });
  await pipeline(writeExport(core, { merchantId: null, subject }), written).catch((error: NodeJS.ErrnoException) => {
    throw error.syscall === 'open' ? new CommandError(`${file} cannot be written: ${error.code}.`) : error;
  });
  return { text: `${file} has what is held.`, json: { file } };
}

async function erasePerson({ core, actor, call, confirm }: Desk): Promise<Output> {
  const subject = readSubject(call);
  await confirm('What is erased does not come back, at no merchant.', 'erase');
  const erasure = viewErasure(await orderErasure(core, { merchantId: null, subject, actor }));
  return { text: `Ordered: ${erasure.id}. A running node erases; privacy list says how far it is.`, json: erasure };
}

async function showErasures({ core, call }: Desk): Promise<Output> {
  const limit = readCount(textOf(call, 'limit'), '--limit', { least: 1, most: 10_000 });
  const found = await listErasures.all(core, { limit });
  const rows = found.map((one) => [
    one.id,
    one.status,
    one.createdAt.toISOString(),
    one.merchantId ?? 'all merchants',
    viewErasure(one).waitingCount || '',
  ]);
  const heads = ['erasureId', 'status', 'asked', 'of', 'waits for'];
  const json = found.map((one) => ({ ...viewErasure(one), merchantId: one.merchantId }));
  return { text: drawTable(heads, rows, 'There are none.'), json };
}
