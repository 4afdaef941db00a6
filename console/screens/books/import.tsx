// The import of a bank statement: a file or pasted lines, a preview of every line, and the confirmation.
import type { StatementReport } from '../../../packages/client/src/contract.ts';
import type { Act, ScreenProps } from '../../../shared/console.ts';
import { showDay } from '../../../shared/luanda.ts';
import { ActForm, Check, Field, FileField } from '../../form.tsx';
import type { Screen } from '../../layout.tsx';
import { Card, Head, Money, Table, textsOf, type AnyScreenProps } from '../../parts.tsx';
import { fill, money } from '../../words.ts';
import { BOOKS, nameAccount } from './parts.tsx';

export const IMPORT = `${BOOKS}/import`;

type Form = Record<string, string>;
type Line = StatementReport['lines'][number];
type Part = { page: AnyScreenProps; report: StatementReport };

/** The maximum size of a file. Its base64 text is a third longer, and a form has at most 1 MiB. */
const MAX_FILE_BYTES = 700_000;
/** The most lines that the page shows of each kind. A form has at most 500 fields. */
const [MAX_SHOWN, MAX_CHOICES] = [200, 100];

const COLUMNS = ['date', 'description', 'amount', 'debit', 'credit'] as const;

/** Reads a column of the statement: its number, or its heading. */
const readColumn = (typed: string) => (/^\d+$/.test(typed) ? Number(typed) : typed);

/** The columns of the statement, if the user sets them. Otherwise the API finds them by their headings. */
function readMapping(form: Form): object | null {
  if (!form['other']) return null;
  const typed = COLUMNS.map((name) => [name, form[name]?.trim() ?? ''] as const).filter(([, text]) => text !== '');
  return Object.fromEntries(typed.map(([name, text]) => [name, readColumn(text)]));
}

/** The statement of the form: the file, or the pasted lines. */
const readFile = ({ file, text = '' }: Form) => file || Buffer.from(text).toString('base64');

/** The user's choices: a settlement for each line, or `aside`. */
const readChoices = (form: Form) =>
  Object.entries(form).flatMap(([name, value]) => {
    const [, line] = /^choice\.(\d{1,7})$/.exec(name) ?? [];
    if (!line || !value) return [];
    return [{ line: Number(line), ...(value === 'aside' ? { aside: true } : { settlementId: value }) }];
  });

const ACTS: Record<'statementCheck' | 'statementImport', Act> = {
  statementCheck: {
    operation: 'importStatement',
    files: { file: 'bytes' },
    buildCall: (form) => ({ body: { file: readFile(form), mapping: readMapping(form), preview: true } }),
    showsResultOnce: true,
  },
  statementImport: {
    operation: 'importStatement',
    buildCall: (form) => ({ body: { file: readFile(form), mapping: readMapping(form), lines: readChoices(form) } }),
    showsResultOnce: true,
  },
};

export const statementImport: Screen = {
  path: IMPORT,
  needs: 'importStatement',
  reads: () => ({}),
  acts: ACTS,
  render(page: ScreenProps<unknown>) {
    const t = textsOf(page);
    const report = page.formResult?.body as StatementReport | undefined;
    const content = (
      <>
        <Head title={t['import.title']} back={{ href: BOOKS, text: t['books.settlements'] }} />
        {report && <Result page={page} report={report} />}
        <Card>
          {!report && <p class="quiet">{t['import.about']}</p>}
          <Upload page={page} hasReport={!!report} />
        </Card>
      </>
    );
    return { title: t['import.title'], content };
  },
};

/** The form for a statement. Its file field is last, because a large form is cut at its end. */
function Upload({ page, hasReport }: { page: AnyScreenProps; hasReport: boolean }) {
  const t = textsOf(page);
  const act = 'statementCheck';
  const about = { page, act };
  const typed = page.refused?.typed ?? {};
  return (
    <ActForm page={page} name={act} button={t['import.check']} hasFiles {...(hasReport && { tone: 'plain' as const })}>
      <details class="act" open={!!typed['text']}>
        <summary>{t['import.paste']}</summary>
        <Field {...about} name="text" label={t['import.text']} hint={t['import.text.hint']} lines={6} />
      </details>
      <details class="act" open={'other' in typed}>
        <summary>{t['import.layout']}</summary>
        <div class="stack">
          <Check {...about} name="other" label={t['import.other']} />
          <p class="small quiet">{t['import.column.hint']}</p>
          <div class="halves">
            <Field {...about} name="date" pointer="mapping" label={t['import.date']} value="1" />
            <Field
              {...about}
              name="description"
              pointer="mapping/description"
              label={t['import.description']}
              value="3"
            />
            <Field {...about} name="amount" pointer="mapping/amount" label={t['import.amount']} value="2" />
            <Field {...about} name="debit" pointer="mapping/debit" label={t['import.debit']} />
            <Field {...about} name="credit" pointer="mapping/credit" label={t['import.credit']} />
          </div>
        </div>
      </details>
      <FileField
        {...about}
        name="file"
        pointer="file"
        label={t['import.file']}
        hint={t['import.file.hint']}
        accept=".csv,.txt,.tsv,.xlsx,.xml,.sta,.mt940,.940"
        maxBytes={MAX_FILE_BYTES}
        tooLarge={t['import.file.large']}
      />
    </ActForm>
  );
}

/** Every line of the statement by its result. The unclear lines have a choice. */
function Result({ page, report }: Part) {
  const t = textsOf(page);
  const linesOf = (result: Line['result']) => report.lines.filter((line) => line.result === result);
  const [credited, unclear] = [linesOf('credited'), linesOf('unclear')];
  const count = report.isPreview ? credited.length : 0;
  const button =
    count === 0 ? t['import.enter.chosen'] : fill(t[count === 1 ? 'import.enter.one' : 'import.enter'], { n: count });
  const content = (
    <>
      {unclear.length > 0 && <Unclear page={page} report={report} lines={unclear} />}
      {credited.length > 0 && <Credited page={page} report={report} lines={credited} />}
    </>
  );
  return (
    <>
      {credited.length + unclear.length === 0 && (
        <Card>
          <p>{t[report.lines.some(({ date }) => date) ? 'import.nothing' : 'import.empty']}</p>
        </Card>
      )}
      {count + unclear.length > 0 ? (
        <ActForm page={page} name="statementImport" button={button} hasFiles>
          <Statement page={page} />
          {content}
        </ActForm>
      ) : (
        content
      )}
      <Folds page={page} title={t['import.known']} lines={linesOf('known')} />
      <Folds page={page} title={t['import.aside']} lines={linesOf('aside')} />
    </>
  );
}

/** The statement and its columns again, for the confirmation. */
function Statement({ page }: { page: AnyScreenProps }) {
  const typed: Form = page.formResult?.typed ?? {};
  const names = typed['other'] ? ['other', ...COLUMNS] : [];
  return (
    <>
      {names.map((name) => (
        <input key={name} type="hidden" name={name} value={typed[name]} />
      ))}
      <input type="hidden" name="file" value={readFile(typed)} />
    </>
  );
}

type Lines = Part & { lines: Line[] };

function Unclear({ page, report, lines }: Lines) {
  const t = textsOf(page);
  const byId = new Map(report.settlements.map((each) => [each.id, each]));
  const choicesOf = ({ candidates }: Line): [string, string][] => [
    ['', t['import.choice.later']],
    ...candidates.flatMap((id): [string, string][] => {
      const found = byId.get(id);
      if (!found) return [];
      const { day, account, missing, currency } = found;
      const about = { day: showDay(day), account: nameAccount(t, account), amount: money(missing, currency) };
      return [[id, fill(t['import.choice'], about)]];
    }),
    ['aside', t['import.choice.aside']],
  ];
  return (
    <Card title={t['import.unclear']}>
      {lines.length > MAX_CHOICES && <p class="quiet">{fill(t['import.unclear.more'], { n: MAX_CHOICES })}</p>}
      {lines.slice(0, MAX_CHOICES).map((line) => (
        <Field
          key={line.line}
          page={page}
          act="statementImport"
          name={`choice.${line.line}`}
          label={`${nameLine(page, line)} · ${money(line.amount ?? 0, line.currency ?? '')}`}
          hint={line.reason ? t[`import.reason.${line.reason}`] : ''}
          choices={choicesOf(line)}
        />
      ))}
    </Card>
  );
}

/** The day and the bank's text of a line. */
function nameLine(page: AnyScreenProps, { line, date, description, reference }: Line): string {
  const text = description || reference || fill(textsOf(page)['import.line'], { n: line });
  return [date && showDay(date), text].filter(Boolean).join(' · ');
}

/** The credits by day, each with its settlements. */
function Credited({ page, report, lines }: Lines) {
  const t = textsOf(page);
  const byId = new Map(report.settlements.map((each) => [each.id, each]));
  const shown = lines.slice(0, MAX_SHOWN);
  const byDay = [...Map.groupBy(shown, ({ date }) => date ?? '')].toSorted(([one], [other]) => (one < other ? 1 : -1));
  const title = report.isPreview ? t['import.credited'] : t['import.entered'];
  return (
    <section class="stack" aria-label={title}>
      <h2>{title}</h2>
      {byDay.map(([day, ofDay]) => (
        <div key={day} class="stack">
          <h3>{showDay(day)}</h3>
          <Table<Line>
            caption={`${title}: ${showDay(day)}`}
            rows={ofDay}
            keyOf={({ line }) => String(line)}
            columns={[
              {
                title: t['import.column.description'],
                cell: (line) => line.description || fill(t['import.line'], { n: line.line }),
              },
              {
                title: t['import.column.settlement'],
                cell: ({ credits }) =>
                  credits.map(({ settlementId }) => {
                    const found = byId.get(settlementId);
                    return (
                      <div key={settlementId}>
                        <a href={`${BOOKS}/${settlementId}`}>{found ? showDay(found.day) : settlementId}</a>
                        {found && ` · ${nameAccount(t, found.account)} `}
                      </div>
                    );
                  }),
              },
              {
                title: t['import.column.amount'],
                cell: ({ amount, currency }) => <Money amount={amount ?? 0} currency={currency ?? ''} />,
                isNumber: true,
              },
            ]}
          />
        </div>
      ))}
      {lines.length > MAX_SHOWN && <p class="quiet">{fill(t['import.more'], { n: lines.length - MAX_SHOWN })}</p>}
    </section>
  );
}

/** Folded lines with the reason for their result. */
function Folds({ page, title, lines }: { page: AnyScreenProps; title: string; lines: Line[] }) {
  const t = textsOf(page);
  if (lines.length === 0) return null;
  return (
    <details class="card pad">
      <summary>{fill(title, { n: lines.length })}</summary>
      <ul class="plain-list">
        {lines.slice(0, MAX_SHOWN).map((line) => (
          <li key={line.line}>
            <span>
              <span>{nameLine(page, line)}</span>
              <span class="small quiet">
                {[fill(t['import.line'], { n: line.line }), line.reason && t[`import.reason.${line.reason}`]]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
            </span>
            {line.amount !== null && <Money amount={line.amount} currency={line.currency ?? ''} />}
          </li>
        ))}
      </ul>
      {lines.length > MAX_SHOWN && <p class="quiet">{fill(t['import.more'], { n: lines.length - MAX_SHOWN })}</p>}
    </details>
  );
}
