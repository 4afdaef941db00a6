// The SMS account: its balance and ledger, the sender name, and how recipients opt out.
import type { SmsBalance, SmsBalanceLedgerEntry, SmsMerchant } from '../../../packages/client/src/contract.ts';
import type { ScreenProps, ScreenLocation } from '../../../shared/console.ts';
import { ActForm, Field, Folded } from '../../form.tsx';
import type { Screen } from '../../layout.tsx';
import { AskOperator, Card, Chips, Empty, Head, List, Moment, Rows, textsOf } from '../../parts.tsx';
import { addressOf, fill, findText, grouped } from '../../words.ts';
import { Entry, SmsMenu, SMS } from './parts.tsx';

const KINDS = ['Credito', 'Debito', 'Reembolso'] as const;
const ENDINGS = ['none', 'reply', 'link', 'number'] as const;
/** The page suggests buying more SMS units if this balance or less remains. */
const FEW = 100;

type Page = {
  account: SmsMerchant;
  balance: SmsBalance;
  ledger: { data: SmsBalanceLedgerEntry[]; next: string | null; totalItems: number };
};

const kindOf = ({ query }: ScreenLocation) => KINDS.find((kind) => kind === query['kind']);

export const smsAccount: Screen = {
  path: SMS,
  needs: 'readSmsAccount',
  menu: { group: 'customers', text: 'sms.title', icon: 'message' },
  live: ['sms'],
  reads(opened) {
    const { after } = opened.query;
    const kind = kindOf(opened);
    const query = { pageSize: '25', ...(kind && { tipo: kind }), ...(after && { after }) };
    return {
      account: { operation: 'readSmsAccount' },
      balance: { operation: 'readSmsBalance' },
      ledger: { operation: 'listSmsMovements', query },
    };
  },
  acts: {
    smsSender: {
      operation: 'updateSmsSender',
      buildCall: ({ sender = '', optOutText, optOutNumber = '' }) => ({
        body: { nomeremetenteSms: sender.trim() || null, optOutText, optOutNumber: optOutNumber.trim() || null },
      }),
    },
  },
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const { saldoAtual, atualizadoEm } = page.data.balance;
    const canSend = page.visitor.may('sendSms');
    const content = (
      <>
        <Head title={t['sms.title']}>
          {canSend && (
            <a class="button" href={`${SMS}/send`}>
              {t['sms.send.new']}
            </a>
          )}
        </Head>
        <SmsMenu page={page} here="" />
        <div class="halves">
          <Card title={t['sms.balance']} live="balance">
            <p class="amount">{fill(t['sms.units'], { n: grouped(saldoAtual) })}</p>
            <p class="quiet">{saldoAtual < FEW ? t['sms.balance.few'] : t['sms.balance.about']}</p>
            <AskOperator page={page} about="units" />
            {atualizadoEm && (
              <p class="small quiet">
                {t['sms.balance.since']} <Moment at={atualizadoEm} />
              </p>
            )}
          </Card>
          <Sender page={page} />
        </div>
        <Ledger page={page} />
      </>
    );
    return { title: t['sms.title'], content };
  },
};

/** The sender name of the merchant's SMS, and the opt-out text at the end of each message. */
function Sender({ page }: { page: ScreenProps<Page> }) {
  const t = textsOf(page);
  const { nomeremetenteSms, remetenteEfetivo, optOutText, optOutNumber } = page.data.account;
  const about = { page, act: 'smsSender' };
  return (
    <Card title={t['sms.sender']}>
      <Rows
        rows={[
          [t['sms.sender.name'], <strong key="name">{remetenteEfetivo}</strong>],
          [t['sms.ending'], t[`sms.ending.${optOutText}`]],
          [t['sms.ending.call'], optOutText === 'number' && optOutNumber],
        ]}
      />
      {page.visitor.may('updateSmsSender') && (
        <Folded page={page} act="smsSender" title={t['sms.sender.change']}>
          <ActForm page={page} name="smsSender" button={t['sms.save']}>
            <Field
              {...about}
              name="sender"
              pointer="nomeremetenteSms"
              label={t['sms.sender.name']}
              hint={t['sms.sender.hint']}
              value={nomeremetenteSms ?? ''}
              maxLength={11}
            />
            <Field
              {...about}
              name="optOutText"
              label={t['sms.ending']}
              value={optOutText}
              choices={ENDINGS.map((each): [string, string] => [each, t[`sms.ending.${each}`]])}
            />
            <Field
              {...about}
              name="optOutNumber"
              label={t['sms.ending.call']}
              hint={t['sms.ending.call.hint']}
              value={optOutNumber ?? ''}
              inputmode="tel"
            />
          </ActForm>
        </Folded>
      )}
    </Card>
  );
}

function Ledger({ page }: { page: ScreenProps<Page> }) {
  const t = textsOf(page);
  const { data, next, totalItems } = page.data.ledger;
  const kind = kindOf(page.opened) ?? '';
  const chips = ['', ...KINDS].map((each) => ({
    href: addressOf(SMS, { kind: each }),
    text: findText(t, `sms.kind.${each}`) ?? t['sms.all'],
    isOn: each === kind,
  }));
  return (
    <section class="stack" aria-label={t['sms.ledger']}>
      <h2>{t['sms.ledger']}</h2>
      <Chips label={t['sms.ledger']} chips={chips} />
      {data.length === 0 ? (
        <Empty text={t['sms.ledger.none']} />
      ) : (
        <List
          page={page}
          newest={addressOf(SMS, { kind })}
          foot={fill(t['list.total'], { n: totalItems })}
          more={next && addressOf(SMS, { kind, after: next })}
        >
          {data.map((movement) => (
            <MovementEntry key={movement.id} page={page} movement={movement} />
          ))}
        </List>
      )}
    </section>
  );
}

function MovementEntry({ page, movement }: { page: ScreenProps<Page>; movement: SmsBalanceLedgerEntry }) {
  const t = textsOf(page);
  const { id, tipo, quantidade, saldoDepois, descricao, criadoEm, batchId } = movement;
  const sending = batchId && tipo === 'Debito' && addressOf(`${SMS}/history`, { batch: batchId });
  return (
    <Entry
      id={id}
      title={t[`sms.kind.${tipo}`]}
      about={
        <>
          <Moment at={criadoEm} /> · {sending ? <a href={sending}>{descricao}</a> : descricao}
        </>
      }
      end={
        <>
          <span class="money">
            {tipo === 'Debito' ? '−' : '+'}
            {grouped(quantidade)}
          </span>
          <span class="small quiet">{fill(t['sms.left'], { n: grouped(saldoDepois) })}</span>
        </>
      }
    />
  );
}
