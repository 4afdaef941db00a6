// Converts a send request to messages: unique recipients without opt-outs, filled texts, counted parts.
import type { z } from 'zod';
import { measureText } from '../../shared/sms-parts.ts';
import type { Core } from '../core.ts';
import { em, type Db } from '../database/db.ts';
import { UUID } from '../http/fields.ts';
import { invalidFields, Problem, type Fault } from '../http/problem.ts';
import { findNames } from './contacts.ts';
import { SmsTemplate } from './entities.ts';
import { isBlank, normalizeText } from './fields.ts';
import { findListContacts } from './list-contacts.ts';
import { findRefusing } from './opt-outs/refusals.ts';
import type { scheduleSending } from './sending-schemas.ts';
import { CUT_AT, fillTemplate, listPlaceholders } from './text.ts';

/** Recipients and text of a request: `numerosDestino` or `listaId`, and `conteudo` or `smsId`. */
export type SendRequest = Partial<
  Pick<z.output<typeof scheduleSending>, 'numerosDestino' | 'listaId' | 'conteudo' | 'smsId' | 'valores'>
> & {
  /** Messages with their own texts, instead of recipients and a text. A phone may have several messages. */
  ownTexts?: readonly { phone: string; text: string }[];
};

/** A recipient. `index`: the position of the number in the request. */
type Recipient = { phone: string; name: string | null; index: number };

/** `index`: the position of the message in `ownTexts`, or of its recipient. */
export type SmsText = { phone: string; text: string; parts: number; index: number };

/** The messages of a request with the totals for the response. */
export type ComposedMessages = {
  /** `content`: the text of the request, or of its template. */
  content: string;
  messages: SmsText[];
  parts: number;
  encoding: 'GSM-7' | 'UCS-2';
  forcedBy: string[];
  duplicates: number;
  refused: number;
};

const MAX_PARTS = 10;

type ComposeOptions = {
  /** `otherFaults`: faults that were found earlier. The same error response lists them. */
  otherFaults: Fault[];
  /** Returns a function with the opt-out text of each phone's message. */
  findEndings(phones: string[]): Promise<(phone: string) => string>;
};

/** Composes the messages. @throws Problem 404 with every unknown id, or 400 with every fault and `otherFaults` */
export async function composeSending(
  { keyring }: Pick<Core, 'keyring'>,
  db: Db,
  merchantId: string,
  request: SendRequest,
  { otherFaults, findEndings }: ComposeOptions,
): Promise<ComposedMessages> {
  // An empty `smsId` counts as an unknown id, and not as an absent one.
  const content = request.smsId != null ? await findContent(db, merchantId, request.smsId) : (request.conteudo ?? '');
  const found = await findRecipients(db, merchantId, request);
  if (content === null || found === null) throw unknownIdProblem(request, { smsId: content, listaId: found });
  const { ownTexts } = request;
  const byPhone = new Map(found.toReversed().map((one) => [one.phone, one]));
  const unique = ownTexts ? found : [...byPhone.values()].toReversed();
  // `sendMessage` checks opt-outs again, since a person can refuse between acceptance and sending.
  const isRefusing = await findRefusing(
    { ...db, keyring },
    unique.map(({ phone }) => ({ merchantId, phone })),
  );
  const recipients = unique.filter(({ phone }) => !isRefusing({ merchantId, phone }));
  const filled = request.smsId
    ? await fillEach(db, merchantId, { content, values: request.valores ?? {}, recipients, isList: !!request.listaId })
    : recipients.map(({ phone, index }) => {
        return { phone, index, text: ownTexts?.[index]?.text ?? content, pointer: '/conteudo' };
      });
  const texts = 'faults' in filled ? [] : filled;
  const endOf = await findEndings(texts.map(({ phone }) => phone));
  const measured = measureAll(texts, endOf);
  const faults = [...otherFaults, ...('faults' in filled ? filled.faults : []), ...measured.faults];
  if (faults.length > 0) throw invalidFields(faults);
  return { content, ...measured, duplicates: found.length - unique.length, refused: unique.length - recipients.length };
}

async function findContent(db: Db, merchantId: string, id: string): Promise<string | null> {
  return UUID.test(id) ? ((await em(db).findOne(SmsTemplate, { id, merchantId }))?.content ?? null) : null;
}

async function findRecipients(db: Db, merchantId: string, request: SendRequest): Promise<Recipient[] | null> {
  const { listaId, numerosDestino, ownTexts } = request;
  if (ownTexts) return ownTexts.map(({ phone }, index) => ({ phone, name: null, index }));
  if (listaId == null) return (numerosDestino ?? []).map((phone, index) => ({ phone, name: null, index }));
  const contacts = await findListContacts(db, merchantId, listaId);
  return contacts && contacts.map(({ phone, name }, index) => ({ phone, name, index }));
}

function unknownIdProblem(request: SendRequest, found: { smsId: unknown; listaId: unknown }): Problem {
  const missing = (['smsId', 'listaId'] as const).filter((field) => request[field] != null && found[field] === null);
  return new Problem('not_found', {
    faults: missing.map((field) => ({ pointer: `/${field}`, code: 'unknown_id' as const })),
  });
}

type Filled = { phone: string; index: number; text: string; pointer: string };
type Template = { content: string; values: Record<string, string>; recipients: Recipient[]; isList: boolean };

/** Fills the template for each recipient. `nome` is the contact's name, unless the request has a value for it. */
async function fillEach(
  db: Db,
  merchantId: string,
  { content, values, recipients, isList }: Template,
): Promise<Filled[] | { faults: Fault[] }> {
  const fixed = new Map(Object.entries(values).map(([key, value]) => [normalizeText(key), value]));
  const needsName = listPlaceholders(content).includes('nome') && !fixed.has('nome');
  const missing = listPlaceholders(content).filter((key) => !fixed.has(key) && key !== 'nome');
  const faults: Fault[] = missing.length > 0 ? [missingValues('/valores', missing)] : [];
  const unnamed = needsName ? recipients.filter(({ name }) => name === null).map(({ phone }) => phone) : [];
  const names = unnamed.length > 0 ? await findNames(db, merchantId, unnamed) : new Map<string, string>();
  const filled = recipients.map(({ phone, name, index }) => {
    const own = name ?? names.get(phone);
    const pointer = isList ? '/valores' : `/numerosDestino/${index}`;
    if (needsName && own === undefined) faults.push(missingValues(pointer, ['nome']));
    const result = fillTemplate(content, needsName && own !== undefined ? new Map([...fixed, ['nome', own]]) : fixed);
    return { phone, index, pointer, text: 'text' in result ? result.text : '' };
  });
  return faults.length > 0 ? { faults } : filled;
}

function missingValues(pointer: string, names: string[]): Fault {
  return { pointer, code: 'sms_value_missing', params: { names: names.join(', ') } };
}

type Measured = Pick<ComposedMessages, 'messages' | 'parts' | 'encoding' | 'forcedBy'> & { faults: Fault[] };

/** Counts the parts of each message. A message that is empty without its opt-out text is a fault. */
function measureAll(filled: Filled[], endOf: (phone: string) => string): Measured {
  const measurements = new Map<string, ReturnType<typeof measureText>>();
  const measure = (text: string) => measurements.get(text) ?? measurements.set(text, measureText(text)).get(text)!;
  const whole = filled.map((one) => ({ ...one, text: one.text + endOf(one.phone) }));
  const messages = whole.map(({ phone, index, text }) => ({ phone, index, text, parts: measure(text).parts }));
  const empty = filled.filter(({ text }) => isBlank(text));
  const tooLong = whole.filter(({ text }) => measure(text).parts > MAX_PARTS);
  const faults: Fault[] = tooLong.map(({ text, pointer }) => {
    const { parts, forcedBy } = measure(text);
    const characters = forcedBy.length > 0 ? ` (${forcedBy.slice(0, 20).join(' ')})` : '';
    const needed = text.length > CUT_AT ? `>${parts}` : parts;
    return { pointer, code: 'sms_too_long' as const, params: { parts: needed, characters } };
  });
  faults.push(...empty.map(({ pointer }) => ({ pointer, code: 'too_short' as const, params: { minimum: 1 } })));
  const all = [...measurements.values()];
  return {
    messages,
    parts: Math.max(0, ...all.map(({ parts }) => parts)),
    encoding: all.some(({ encoding }) => encoding === 'UCS-2') ? 'UCS-2' : 'GSM-7',
    forcedBy: [...new Set(all.flatMap(({ forcedBy }) => forcedBy))],
    faults: [...new Map(faults.map((fault) => [fault.pointer, fault])).values()],
  };
}
