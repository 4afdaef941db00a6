// balcao privacy: one person's data at all merchants.
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { inTransaction } from '../database/orm.ts';
import { recordAudit } from '../audit/record.ts';
import { em } from '../database/db.ts';
import { Erasure } from '../privacy/entities.ts';
import { requestErasure, viewErasure } from '../privacy/erasures.ts';
import { writeExport } from '../privacy/export.ts';
import { checkSubject, subjectOf, subjectRequest, type Subject } from '../privacy/subject.ts';
import { operate, YES, type CommandContext } from './operate.ts';
import { CommandError, readCount, UsageError, type Output, type Shell } from './shell.ts';

export const commands = { privacy: definePrivacy };

function definePrivacy(privacy: Command, shell: Shell): void {
  const exporting = privacy
    .command('export')
    .description('write the data of one payer or contact into a new file, as JSON')
    .argument('<file>', 'the new file');
  const erasing = privacy
    .command('erase')
    .description('erase one payer or contact; payments and amounts stay, without the person')
    .addOption(YES)
    .addHelpText('after', '\nRunning nodes do the erasing. An open payment is erased when it ends.');
  for (const command of [exporting, erasing])
    command
      .option('--phone <number>', 'phone of the person, in any spelling')
      .option('--email <address>', 'e-mail of the person; give one of the two');
  exporting.action(operate(shell, exportPerson));
  erasing.action(operate(shell, erasePerson));
  privacy
    .command('list')
    .description('list erasures that merchants and the operator requested, newest first')
    .option('--limit <count>', 'only the newest', readCount(1, 10_000), 50)
    .action(operate(shell, showErasures));
}

type Person = { phone?: string; email?: string };

/** Reads the person from `--phone` or `--email`. @throws UsageError */
function readSubject({ phone, email }: Person): Subject {
  const { data } = subjectRequest.safeParse({ phone, email });
  if (!data || checkSubject({ phone, email }).length > 0)
    throw new UsageError('Give either --phone, an Angolan mobile number, or --email, an address.');
  return subjectOf(data);
}

async function exportPerson({ core, actor }: CommandContext, file: string, person: Person): Promise<Output> {
  const subject = readSubject(person);
  const at = core.clock.now();
  await inTransaction(core, (db) => recordAudit(db, { merchantId: null, actor, action: 'privacy.exported', at }));
  // The exported file has personal data, so only the file's owner may read it.
  const written = createWriteStream(file, { flags: 'wx', mode: 0o600 });
  await pipeline(writeExport(core, { merchantId: null, subject }), written).catch((error: NodeJS.ErrnoException) => {
    throw error.syscall === 'open' ? new CommandError(`${file} cannot be written: ${error.code}.`) : error;
  });
  return { json: { file } };
}

async function erasePerson({ core, actor, confirm }: CommandContext, person: Person): Promise<Output> {
  const subject = readSubject(person);
  await confirm('The data is erased at every merchant, for good.', 'erase');
  const erasure = viewErasure(await requestErasure(core, { merchantId: null, subject, actor }));
  return { json: erasure };
}

async function showErasures({ core }: CommandContext, { limit }: { limit: number }): Promise<Output> {
  const found = await em(core).findAll(Erasure, { orderBy: { createdAt: 'desc', id: 'desc' }, limit });
  const json = found.map((one) => ({ ...viewErasure(one), merchantId: one.merchantId }));
  return { json, columns: ['id', 'status', 'createdAt', 'merchantId', 'waitingCount'] };
}
