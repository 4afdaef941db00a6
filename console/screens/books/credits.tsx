// Bank credits of a settlement, and the forms to enter more by hand or from a bank statement.
import type { Settlement } from '../../../packages/client/src/contract.ts';
import type { Act } from '../../../shared/console.ts';
import { dayOf as dayIn } from '../../../shared/luanda.ts';
import { readMajor } from '../../../shared/money.ts';
import { ActForm, Check, Field, Folded } from '../../form.tsx';
import { Card, textsOf, type AnyScreenProps } from '../../parts.tsx';
import { fill, money, writeMajor } from '../../words.ts';
import { LinesFile, MAX_QUOTED } from '../pasted.tsx';
import { Entry } from './fees.tsx';
import { showDay } from './parts.tsx';

type Form = Record<string, string>;

/** Reads an amount with a sign. A minus marks money that the bank took. The API reports the fault of other text. */
const readSigned = (typed = ''): number | string | null =>
  readMajor(typed, SUM_DIGITS, { isSigned: true }) ?? (typed.trim() || null);

/** The maximum number of digits of a sum. A merchant's daily sum can exceed the limit of one payment. */
const SUM_DIGITS = 12;

/** Reads a column of the bank statement: its number, or its heading. */
const readColumn = (typed = '') => (/^\d+$/.test(typed.trim()) ? Number(typed) : typed.trim());

/** The layout of the bank statement, if the user sets one. Otherwise the API uses the last statement's layout. */
function readMapping({ other, date, amount, description }: Form): object | undefined {
  if (!other) return undefined;
  return { date: readColumn(date), amount: readColumn(amount), description: readColumn(description) };
}

export const CREDIT_ACTS: Record<'credit' | 'statement', Act> = {
  credit: {
    operation: 'enterCredits',
    buildCall: ({ amount, date, reference }, { params }) => ({
      params,
      body: { amount: readSigned(amount), date: date || null, reference: reference?.trim() || null },
    }),
  },
  statement: {
    operation: 'enterCredits',
    files: { text: 'text' },
    buildCall(form, { params }) {
      // An empty text also counts as a bank statement. The API then reports its first line.
      const file = Buffer.from(`${form['text'] ?? ''}\n`).toString('base64');
      const lines = Object.keys(form).flatMap((name) => /^line\.(\d{1,6})$/.exec(name)?.[1] ?? []);
      const chosen = lines.length > 0 && { lines: lines.map(Number) };
      return { params, body: { file, mapping: readMapping(form), ...chosen } };
    },
  },
};

type Props = { page: AnyScreenProps; settlement: Settlement };

export function Credits({ page, settlement }: Props) {
  const t = textsOf(page);
  const { credits, closedAt } = settlement;
  return (
    <Card title={t['credits.title']}>
      {credits.length > 0 && (
        <ul class="plain-list">
          {credits.map((entry) => (
            <Entry key={entry.id} page={page} entry={entry} />
          ))}
        </ul>
      )}
      {credits.length === 0 && <p class="quiet">{closedAt ? t['credits.none'] : t['credits.early']}</p>}
      {closedAt && page.visitor.may('enterCredits') && (
        <>
          <Folded page={page} act="credit" title={t['credit.enter']} isOpen={credits.length === 0 && !page.refused}>
            <ByHand page={page} settlement={settlement} />
          </Folded>
          <Folded page={page} act="statement" title={t['statement.enter']}>
            <Statement page={page} settlement={settlement} />
          </Folded>
        </>
      )}
    </Card>
  );
}

/** The form for a credit by hand. Its amount field starts with the missing amount. */
function ByHand({ page, settlement: { difference, currency } }: Props) {
  const t = textsOf(page);
  const about = { page, act: 'credit' };
  return (
    <ActForm page={page} name="credit" button={t['credit.button']}>
      <Field
        {...about}
        name="amount"
        label={t['credit.amount']}
        hint={t['credit.amount.hint']}
        value={writeMajor(difference < 0 ? -difference : null)}
        prefix={currency === 'AOA' ? 'Kz' : currency}
        required
      />
      <Field {...about} name="date" label={t['credit.date']} type="date" value={dayIn(page.now)} required />
      <Field {...about} name="reference" label={t['credit.reference']} maxLength={100} />
    </ActForm>
  );
}

function Statement({ page, settlement }: Props) {
  const t = textsOf(page);
  return (
    <ActForm page={page} name="statement" button={t['statement.button']} hasFiles>
      <Field
        page={page}
        act="statement"
        name="text"
        pointer="file"
        label={t['statement.text']}
        hint={t['statement.text.hint']}
        lines={6}
      />
      <Unread page={page} />
      <Choice page={page} settlement={settlement} />
      <Layout page={page} />
      <LinesFile page={page} act="statement" name="text" />
    </ActForm>
  );
}

/** The lines of the bank statement that could not be read, with their content. */
function Unread({ page }: { page: AnyScreenProps }) {
  const t = textsOf(page);
  const { refused } = page;
  const numbers = (refused?.faults ?? []).flatMap(({ code, params }) =>
    code === 'file_line' ? Number(params?.['line']) : [],
  );
  if (refused?.act !== 'statement' || numbers.length === 0) return null;
  const shown = numbers.slice(0, SHOWN_LINES);
  const typed = (refused.typed['text'] ?? '').split(/\r?\n/, Math.max(...shown));
  return (
    <ul class="error wrong-lines">
      {shown.map((number) => (
        <li key={number}>
          <strong>{fill(t['pasted.line'], { n: number })}</strong> “{typed[number - 1]?.slice(0, MAX_QUOTED)}”
        </li>
      ))}
    </ul>
  );
}

/** Maximum number of unreadable lines shown. More of them mean that the layout is wrong. */
const SHOWN_LINES = 20;

type Line = { line: number; date: string; amount: number; description: string };

/** If no line of the bank statement clearly belongs to this settlement, the user selects the right lines. */
function Choice({ page, settlement: { currency } }: Props) {
  const t = textsOf(page);
  const { refused } = page;
  if (refused?.act !== 'statement' || refused.code !== 'bank_line_unclear') return null;
  return (
    <fieldset class="field">
      <legend>{t['statement.which']}</legend>
      {(refused.extra['lines'] as Line[]).map(({ line, date, amount, description }) => (
        <Check
          key={line}
          page={page}
          act="statement"
          name={`line.${line}`}
          label={`${showDay(date)} · ${money(amount, currency)} · ${description}`}
        />
      ))}
    </fieldset>
  );
}

/** The form for the bank statement's layout, if it differs from the last one. */
function Layout({ page }: { page: AnyScreenProps }) {
  const t = textsOf(page);
  const about = { page, act: 'statement' };
  return (
    <details class="act" open={page.refused?.act === 'statement' && 'other' in page.refused.typed}>
      <summary>{t['statement.layout']}</summary>
      <div class="stack">
        <Check {...about} name="other" label={t['statement.other']} />
        <p class="small quiet">{t['statement.other.hint']}</p>
        <Field
          {...about}
          name="date"
          pointer="mapping"
          label={t['statement.date']}
          hint={t['statement.column.hint']}
          value="1"
        />
        <Field {...about} name="amount" pointer="mapping/amount" label={t['statement.amount']} value="2" />
        <Field
          {...about}
          name="description"
          pointer="mapping/description"
          label={t['statement.description']}
          value="3"
        />
      </div>
    </details>
  );
}
