// New payment references: one by its form, or many from pasted lines with a preview before they are created.
import type { PprReference } from '../../../packages/client/src/contract.ts';
import type { Act, ScreenProps } from '../../../shared/console.ts';
import { normalizePhone } from '../../../shared/phone.ts';
import { addMinor, toMinor, showMoney } from '../../../shared/money.ts';
import { REFERENCE_TYPES, type ReferenceType } from '../../../shared/reference.ts';
import { showDay } from '../../../shared/luanda.ts';
import { ActForm, Field } from '../../form.tsx';
import { Card, Head, Table, textsOf, type AnyScreenProps } from '../../parts.tsx';
import { addressOf, fill, money, typedAmount } from '../../words.ts';
import { LinesFile, MAX_QUOTED, splitCells, splitLines, splitList, WrongLines, type PastedLine } from '../pasted.tsx';

export const REFERENCES = '/console/references';

/** A payment reference as the API accepts it. Unreadable values are sent as typed, and the API reports the fault. */
type NewReference = {
  amount: number | string | null;
  referenceType: ReferenceType;
  description: string | null;
  customerName: string | null;
  customerTelephone: string | null;
  customerEmail: string | null;
  documentNumber: string | null;
  expiryDate: string | null;
  reference: string | null;
};

const CURRENCY = 'AOA';

const textOrNull = (typed = '') => typed.trim() || null;
const readDigits = (typed = '') => textOrNull(typed.replace(/(?<=\d) (?=\d)/g, ''));
/** Reads a day. Spreadsheets write days as `31/12/2026`. */
const readDay = (typed = '') => textOrNull(typed.replace(/^(\d{1,2})\/(\d{1,2})\/(\d{4})$/, toIso));
const toIso = (_all: string, day: string, month: string, year: string) =>
  `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;

function readForm(form: Record<string, string>): NewReference {
  return {
    amount: typedAmount(form['amount']),
    referenceType: REFERENCE_TYPES.find((type) => type === form['kind']) ?? 'Dynamic',
    description: textOrNull(form['description']),
    customerName: textOrNull(form['customerName']),
    customerTelephone: textOrNull(form['customerTelephone']),
    customerEmail: textOrNull(form['customerEmail']),
    documentNumber: textOrNull(form['documentNumber']),
    expiryDate: readDay(form['expiryDate']),
    reference: readDigits(form['reference']),
  };
}

/** The cells of a pasted line, in their order. */
const CELLS = ['amount', 'description', 'customerName', 'customerTelephone', 'expiryDate', 'reference'] as const;

/** Reads a pasted line. Without an amount it becomes a Charging reference, whose payer chooses the amount. */
function readLine({ text }: PastedLine): NewReference {
  const cells = splitCells(text);
  const named = Object.fromEntries(CELLS.map((name, nth) => [name, cells[nth] ?? '']));
  return readForm({ ...named, kind: named['amount'] ? 'Dynamic' : 'Charging' });
}

function readLines(form: Record<string, string>) {
  const references = splitLines(form['lines'] ?? '').map(readLine);
  return { body: { references }, faults: references.flatMap((each, nth) => checkPhone(each, `/references/${nth}`)) };
}

/** The API stores any text as a customer's phone. A number that no SMS can reach is a mistake in this form. */
function checkPhone({ customerTelephone: phone }: NewReference, pointer = '') {
  const isWrong = phone !== null && normalizePhone(phone) === null;
  return isWrong ? [{ pointer: `${pointer}/customerTelephone`, code: 'invalid_phone' as const }] : [];
}

/** The time in which these references were created. The list then offers to send them by SMS. */
function spanOf(created: PprReference[]): { from: string; to: string } {
  const times = created.map(({ createdAt }) => Date.parse(createdAt));
  const toText = (ms: number) => new Date(ms).toISOString();
  return { from: toText(Math.min(...times)), to: toText(Math.max(...times) + 1) };
}

export const NEW_ACTS: Record<'referenceCreate' | 'referencesCheck' | 'referencesCreate', Act> = {
  referenceCreate: {
    operation: 'createReference',
    buildCall(form) {
      const body = readForm(form);
      return { body, faults: checkPhone(body) };
    },
    resultPath: ({ reference }: { reference: string }) => `${REFERENCES}/${reference}`,
  },
  referencesCheck: { operation: 'createReferences', buildCall: readLines, files: { lines: 'text' }, isDryRun: true },
  referencesCreate: {
    operation: 'createReferences',
    buildCall: readLines,
    resultPath: ({ data }: { data: PprReference[] }) => addressOf(REFERENCES, { status: 'Pending', ...spanOf(data) }),
  },
};

export const NEW_ONE = `${REFERENCES}?new=one`;
export const NEW_MANY = `${REFERENCES}?new=many`;

/** Renders the form or the preview that belongs to the URL or to the last form. Null for the plain list. */
export function renderNew(page: AnyScreenProps) {
  const { opened, refused, formResult, visitor } = page;
  const wanted =
    refused?.act ?? formResult?.act ?? { one: 'referenceCreate', many: 'referencesCheck' }[opened.query['new'] ?? ''];
  if (!wanted || !visitor.may('createReference')) return null;
  const t = textsOf(page);
  const isOne = wanted === 'referenceCreate';
  const title = isOne ? t['references.new'] : t['references.many'];
  const other = isOne ? { href: NEW_MANY, text: t['references.many'] } : { href: NEW_ONE, text: t['references.new'] };
  const content = (
    <>
      <Head title={title} back={{ href: REFERENCES, text: t['references.title'] }}>
        <a href={other.href}>{other.text}</a>
      </Head>
      {isOne ? <One page={page} /> : <Many page={page} />}
    </>
  );
  return { title, content };
}

function One({ page }: { page: AnyScreenProps }) {
  const t = textsOf(page);
  const about = { page, act: 'referenceCreate' };
  const kinds = REFERENCE_TYPES.map((type): [string, string] => [type, t[`reference.kind.${type}`]]);
  return (
    <Card>
      <ActForm page={page} name="referenceCreate" button={t['references.create']}>
        <Field
          {...about}
          name="amount"
          label={t['reference.amount']}
          hint={t['reference.amount.hint']}
          inputmode="decimal"
          prefix="Kz"
        />
        <Field {...about} name="kind" pointer="referenceType" label={t['reference.kind']} choices={kinds} />
        <Field {...about} name="expiryDate" label={t['reference.until']} hint={t['reference.until.hint']} type="date" />
        <Field {...about} name="description" label={t['reference.description']} maxLength={200} />
        <div class="halves">
          <Field {...about} name="customerName" label={t['reference.customer']} />
          <Field {...about} name="customerTelephone" label={t['reference.phone']} type="tel" />
        </div>
        <div class="halves">
          <Field {...about} name="customerEmail" label={t['reference.email']} type="email" />
          <Field {...about} name="documentNumber" label={t['reference.document']} />
        </div>
        <Field
          {...about}
          name="reference"
          label={t['reference.digits']}
          hint={t['reference.digits.hint']}
          inputmode="numeric"
        />
      </ActForm>
    </Card>
  );
}

function Many({ page }: { page: AnyScreenProps }) {
  const t = textsOf(page);
  const { refused, formResult } = page;
  // Lines that the API refused at creation are corrected in the same text field.
  const act = refused?.act ?? 'referencesCheck';
  return (
    <>
      {formResult && <Preview page={page} />}
      <Card>
        <p class="quiet">{t['references.many.about']}</p>
        <ActForm
          page={page}
          name="referencesCheck"
          button={t['references.check']}
          hasFiles
          {...(formResult && { tone: 'plain' as const })}
        >
          <Field
            page={page}
            act={act}
            name="lines"
            pointer="references"
            label={t['references.lines']}
            hint={t['references.lines.hint']}
            value={formResult?.typed['lines'] ?? ''}
            lines={8}
          />
          <WrongLines page={page} act={act} field="lines" pointer="references" split={splitLines} />
          <LinesFile page={page} act={act} name="lines" />
        </ActForm>
      </Card>
    </>
  );
}

/** Shows the references that the pasted lines would create. Its button creates them once, even if pressed twice. */
function Preview({ page }: { page: ScreenProps<unknown> }) {
  const t = textsOf(page);
  const { body, typed } = page.formResult as NonNullable<typeof page.formResult>;
  const wanted = body.references as NewReference[];
  const { heading } = splitList(typed['lines'] ?? '');
  const rows = wanted.map((each, nth) => ({ ...each, nth }));
  const amounts = wanted.flatMap(({ amount }) => {
    const read = toMinor(String(amount), CURRENCY);
    return amount !== null && 'minor' in read ? read.minor : [];
  });
  const sum = amounts.length > 0 ? showMoney(addMinor(...amounts), CURRENCY) : t['link.open'];
  const showAmount = (amount: NewReference['amount']) =>
    amount === null ? t['link.open'] : money(Number(amount), CURRENCY);
  return (
    <section class="stack" aria-label={t['references.preview']}>
      <Card title={t['references.preview']}>
        <p class="amount">{sum}</p>
        <p class="quiet">{fill(t['references.count'], { n: wanted.length })}</p>
        {heading && <p class="quiet">{fill(t['pasted.heading'], { line: heading.slice(0, MAX_QUOTED) })}</p>}
        <ActForm page={page} name="referencesCreate" button={t['references.create.all']}>
          <input type="hidden" name="lines" value={typed['lines']} />
        </ActForm>
      </Card>
      <Table<(typeof rows)[number]>
        caption={t['references.preview']}
        rows={rows}
        keyOf={({ nth }) => String(nth)}
        columns={[
          { title: t['reference.amount'], cell: ({ amount }) => showAmount(amount), isNumber: true },
          { title: t['reference.description'], cell: ({ description }) => description ?? '—' },
          { title: t['reference.customer'], cell: ({ customerName }) => customerName ?? '—' },
          { title: t['reference.phone'], cell: ({ customerTelephone }) => customerTelephone ?? '—' },
          { title: t['reference.until'], cell: ({ expiryDate }) => (expiryDate ? showDay(expiryDate) : '—') },
          { title: t['reference.digits'], cell: ({ reference }) => reference ?? t['references.drawn'] },
        ]}
      />
    </section>
  );
}
