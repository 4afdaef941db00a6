// Payment references by SMS: every message with its cost, and one button that sends them.
import type { ReferenceSmsPreview } from '../../../packages/client/src/contract.ts';
import type { ScreenProps } from '../../../shared/console.ts';
import { showPhone } from '../../../shared/phone.ts';
import { REFERENCE_TYPES, showReference } from '../../../shared/reference.ts';
import { ActForm, Field, Folded } from '../../form.tsx';
import type { Screen } from '../../layout.tsx';
import { Card, Empty, Head, Table, textsOf } from '../../parts.tsx';
import { addressOf, fill, grouped } from '../../words.ts';
import { isSendable, countLackingUnits, SmsCost } from '../sms/preview.tsx';
import { REFERENCES } from './new.tsx';

/** `preview`: null if the merchant has no SMS account. */
type Page = { preview: ReferenceSmsPreview | null };
type Part = { page: ScreenProps<Page>; preview: ReferenceSmsPreview };

/** The selection of the screen: one reference by its digits, or all payable ones of a type or a time of creation. */
type Selected = { digits?: string; type?: string; from?: string; to?: string };

export const smsAddressOf = (selected: Selected = {}) => addressOf(`${REFERENCES}/sms`, selected);

function readSelected({ digits, type, from, to }: Selected) {
  const known = REFERENCE_TYPES.find((each) => each === type);
  if (digits) return { references: [digits] };
  return { ...(known && { type: known }), ...(from && { from }), ...(to && { to }) };
}

/** The references of the preview, so that the sending has no other reference. */
const readBody = ({ references = '', conteudo = '' }: Record<string, string>) => ({
  references: references.split(' ').filter(Boolean),
  ...(conteudo.trim() && { conteudo: conteudo.trim() }),
});

export const referencesSms: Screen = {
  path: `${REFERENCES}/sms`,
  needs: 'sendReferenceSms',
  reads: ({ query }) => ({
    preview: { operation: 'previewReferenceSms', body: readSelected(query), nullIf: 'sms_unavailable' },
  }),
  acts: {
    referenceSmsPreview: {
      operation: 'previewReferenceSms',
      buildCall: (form) => ({ body: readBody(form) }),
      showsResultOnce: true,
    },
    referenceSms: {
      operation: 'sendReferenceSms',
      buildCall: (form) => ({ body: readBody(form) }),
      resultPath: ({ batchId }: { batchId: string }) => addressOf('/console/sms/history', { batch: batchId }),
    },
  },
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const preview = (page.formResult?.body as ReferenceSmsPreview | undefined) ?? page.data.preview;
    const title = t['refsms.title'];
    const content = (
      <>
        <Head title={title} back={{ href: REFERENCES, text: t['references.title'] }} />
        {preview ? <Preview page={page} preview={preview} /> : <Empty text={t['refsms.unavailable']} />}
      </>
    );
    return { title, content };
  },
};

function Preview({ page, preview }: Part) {
  const t = textsOf(page);
  const { mensagens, unidades } = preview;
  const n = mensagens.length;
  const count = n === 1 ? t['refsms.count.one'] : fill(t['refsms.count'], { n: grouped(n) });
  const button = unidades === 1 ? t['refsms.send.one'] : fill(t['refsms.send'], { n: grouped(unidades) });
  return (
    <>
      {n === 0 ? (
        <Empty text={t['refsms.none']} />
      ) : (
        <Card>
          <SmsCost page={page} preview={{ ...preview, agendadaPara: null }} count={count} />
          <p class="quiet">{t['refsms.about']}</p>
          {isSendable(preview) && (
            <ActForm page={page} name="referenceSms" button={button}>
              <Kept page={page} preview={preview} />
              <input type="hidden" name="conteudo" value={page.formResult?.typed['conteudo'] ?? ''} />
            </ActForm>
          )}
          <Folded
            page={page}
            act={page.refused?.act ?? 'referenceSmsPreview'}
            title={t['refsms.change']}
            isOpen={countLackingUnits(preview) > 0}
          >
            <Beginning page={page} preview={preview} />
          </Folded>
        </Card>
      )}
      <Skipped page={page} preview={preview} />
      {n > 0 && <Messages page={page} preview={preview} />}
    </>
  );
}

/** The digits of the messages' references. */
function Kept({ preview: { mensagens } }: Part) {
  return <input type="hidden" name="references" value={mensagens.map(({ reference }) => reference).join(' ')} />;
}

function Beginning({ page, preview }: Part) {
  const t = textsOf(page);
  return (
    <ActForm page={page} name="referenceSmsPreview" button={t['refsms.check']} tone="plain">
      <Kept page={page} preview={preview} />
      <Field
        page={page}
        act={page.refused?.act ?? 'referenceSmsPreview'}
        name="conteudo"
        label={t['refsms.text']}
        hint={t['refsms.text.hint']}
        value={page.formResult?.typed['conteudo'] ?? ''}
        lines={2}
      />
    </ActForm>
  );
}

/** The references without a message, and the reason. */
function Skipped({ page, preview: { semTelemovel, naoPagaveis, haMais } }: Part) {
  const t = textsOf(page);
  const groups = [
    [t['refsms.noPhone'], semTelemovel],
    [t['refsms.notPayable'], naoPagaveis],
  ] as const;
  const shown = groups.filter(([, digits]) => digits.length > 0);
  if (shown.length === 0 && !haMais) return null;
  return (
    <Card>
      {haMais && <p class="warning">{t['refsms.more']}</p>}
      {shown.map(([text, digits]) => (
        <p key={text}>
          {text}{' '}
          {digits.map((each, nth) => (
            <>
              {nth > 0 && ', '}
              <a href={`${REFERENCES}/${each}`}>{showReference(each)}</a>
            </>
          ))}
        </p>
      ))}
    </Card>
  );
}

function Messages({ page, preview: { mensagens } }: Part) {
  const t = textsOf(page);
  return (
    <>
      <h2>{t['refsms.messages']}</h2>
      <Table<(typeof mensagens)[number]>
        caption={t['refsms.messages']}
        rows={mensagens}
        keyOf={({ reference }) => reference}
        columns={[
          { title: t['reference.customer'], cell: ({ customerName }) => customerName ?? '—' },
          { title: t['reference.phone'], cell: ({ numeroDestino }) => showPhone(numeroDestino) },
          { title: t['sms.text'], cell: ({ conteudo }) => conteudo },
          { title: t['refsms.units'], cell: ({ partes }) => partes, isNumber: true },
        ]}
      />
    </>
  );
}
